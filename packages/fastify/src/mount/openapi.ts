import type { FastifySchema } from 'fastify'

/**
 * Hides a route from plugins that generate an OpenAPI document. Otherwise, the document would contain rejected methods,
 * and bodies without a schema.
 */
export const hidden = { hide: true } as FastifySchema
