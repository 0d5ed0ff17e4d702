import type { FastifySchema } from 'fastify'

/**
 * Hides a route from plugins that generate an OpenAPI document. The document would contain methods that are rejected, and
 * bodies without a schema.
 */
export const hidden = { hide: true } as FastifySchema
