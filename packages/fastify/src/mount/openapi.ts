import type { FastifySchema } from 'fastify'

/**
 * Keeps a route out of the OpenAPI document of the application, as plugins that write one understand it. That would show
 * methods which are refused, and bodies that could be anything.
 */
export const hidden = { hide: true } as FastifySchema
