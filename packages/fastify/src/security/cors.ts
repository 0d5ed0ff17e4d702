import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MountOptions } from '../options.js'
import type { OriginPolicy } from './host-and-origin.js'

/** What a page may read of an answer besides its body. */
const exposedHeaders = 'Mcp-Session-Id, WWW-Authenticate, Retry-After'

const methods = 'GET, POST, DELETE'

/** Of a route that answers browsers itself: an `@fastify/cors` around it would have answered before, for its own origins. */
export const answersBrowsers = { config: { cors: false } } as const

/**
 * Answers the questions of browsers before anything else looks at them: they carry no credentials. For the routes of the
 * scope alone: `@fastify/cors` would answer them for every other path of the application as well, and start no second time
 * in one that has it.
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
    // The header names the one origin that asked, so that caches keep answers apart; with '*' it is '*'.
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

/** Whether a browser asks what a page may do, before the page does it. */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply, maxAge: number | undefined): void {
  const asked = headers['access-control-request-headers']
  addVary(reply, 'Access-Control-Request-Headers')
  reply.header('access-control-allow-methods', methods)
  if (asked !== undefined) reply.header('access-control-allow-headers', asked)
  if (maxAge !== undefined) reply.header('access-control-max-age', String(maxAge))
  // Some browsers wait for a body where there is no length.
  reply.code(204).header('content-length', '0').send()
}

function addVary(reply: FastifyReply, name: string): void {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined ? name : `${String(others)}, ${name}`)
}
