import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MountOptions } from '../options.js'
import type { OriginPolicy } from './host-and-origin.js'

const exposedHeaders = 'Mcp-Session-Id, WWW-Authenticate, Retry-After'

const methods = 'GET, POST, DELETE'

/**
 * Config of a route that handles CORS itself. Otherwise, `@fastify/cors` on the application would answer first, with its own
 * origins.
 */
export const answersBrowsers = { config: { cors: false } } as const

/**
 * Answers preflight requests before any other check, because browsers send them without credentials. `@fastify/cors` is
 * not used, because it would answer for all paths of the application, and cannot be registered twice.
 */
export function allowPages(
  scope: FastifyInstance,
  { cors: wanted, allowedOrigins = [] }: MountOptions,
  policy: OriginPolicy,
): void {
  if (wanted === undefined || wanted === false) return
  const { credentials = false, maxAge } = wanted === true ? {} : wanted
  const isForAll = allowedOrigins.includes('*')
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, ...answersBrowsers.config }
  })
  scope.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    // The header contains the origin of the request, so caches must vary by it. With '*', the header is constant.
    if (!isForAll) addVary(reply, 'Origin')
    if (origin === undefined || !policy.allowsOrigin(origin)) return done()
    reply.headers({
      'access-control-allow-origin': isForAll ? '*' : origin,
      'access-control-expose-headers': exposedHeaders,
      ...(credentials ? { 'access-control-allow-credentials': 'true' } : {}),
    })
    if (isPreflight(request)) answerPreflight(request, reply, maxAge)
    else done()
  })
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply, maxAge: number | undefined): void {
  const asked = headers['access-control-request-headers']
  addVary(reply, 'Access-Control-Request-Headers')
  reply.header('access-control-allow-methods', methods)
  if (asked !== undefined) reply.header('access-control-allow-headers', asked)
  if (maxAge !== undefined) reply.header('access-control-max-age', String(maxAge))
  // Some browsers wait for a body if there is no `Content-Length`.
  reply.code(204).header('content-length', '0').send()
}

export function addVary(reply: FastifyReply, name: string): void {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined ? name : `${String(others)}, ${name}`)
}
