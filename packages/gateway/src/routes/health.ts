import type { ServerIdentity } from '@toolwright/core'
import { rejectForeignHost } from '@toolwright/fastify/internal'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { GatewayHealth } from '../options.js'

const headers = {
  'cache-control': 'no-store, no-cache, must-revalidate, max-age=0',
  pragma: 'no-cache',
  expires: '0',
}

/**
 * Creates the route `GET /health`. Clients that accept `application/json` get JSON; others get text, with the same
 * facts as headers.
 */
export function createHealth({ machine }: GatewayHealth): FastifyPluginAsync {
  return async (app) => {
    const { name, version } = (app as FastifyInstance & { readonly mcp: { readonly identity: ServerIdentity } }).mcp
      .identity
    const facts = { version, machine: machine ?? name }
    app.get('/health', { logLevel: 'warn', onRequest: rejectForeignHost }, async (request, reply) => {
      const timestamp = new Date().toISOString()
      reply.headers(headers)
      if (request.headers.accept?.toLowerCase().includes('application/json') === true) {
        return { status: 'Healthy', timestamp, ...facts }
      }
      reply.header('x-app-version', encodeURI(version)).header('x-machine', encodeURI(facts.machine))
      return reply.header('x-timestamp', timestamp).type('text/plain; charset=utf-8').send('Healthy')
    })
  }
}
