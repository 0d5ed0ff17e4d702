import type { McpServer, Principal, ServerOptions } from '@toolwright/core'
import { createServerIn, Problems } from '@toolwright/core/internal'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { Authentication } from './authentication.js'
import { Challenges } from './challenge.js'
import { Closing } from './closing.js'
import { allowPages } from './cors.js'
import { createGetHandler } from './get.js'
import { checkHostAndOrigin, createOriginPolicy } from './host-and-origin.js'
import { acceptRawJson } from './json-body.js'
import { mountLegacySse } from './legacy-sse.js'
import { checkMount, closeWhereAuthenticated, mountHost } from './mount-host.js'
import { findBindProblem } from './open-bind.js'
import {
  type EndpointOptions,
  type McpPluginOptions,
  type MountOptions,
  type PluginOptions,
  pathOf,
} from './options.js'
import { createPostHandler } from './post.js'
import { acceptPrincipals } from './principal.js'
import { sendError } from './reply.js'
import { serveResourceMetadata } from './resource-metadata.js'
import { mountRpc } from './rpc.js'
import { createDeleteHandler, namesSession, refuseMethod } from './sessions.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The MCP server that the plugin mounted. */
    mcp: McpServer
  }
  interface FastifyRequest {
    /** The authenticated caller of an MCP endpoint. A hook of the application that authenticates sets it. */
    mcpPrincipal: Principal | null
  }
}

/** The outer plugin shares `app.mcp` with the application; the inner one keeps parsers, hooks and errors to itself. */
const plugin: FastifyPluginAsync<McpPluginOptions & PluginOptions> = async (app, options) => {
  const isOurs = options.server === undefined
  const server = isOurs ? await createOwnServer(app, options) : options.server
  if (!isOurs) {
    const problems = new Problems()
    checkMount(options, problems)
    problems.throwIfAny()
  }
  // Before anything is mounted: an application that does not start closes what it has.
  if (isOurs) app.addHook('onClose', () => server.close())
  app.decorate('mcp', server)
  const { authentication, path = '/mcp', prefix = '' } = options
  if (authentication?.metadata !== undefined) {
    serveResourceMetadata(app, authentication.metadata, `${app.prefix}${prefix}${path}`)
  }
  await app.register(mountEndpoint, { ...options, prefix, server })
  app.addHook('onListen', () => closeIfExposed(app, options))
}

/** The plugin as `createHost` registers it. */
export const mcpOfHost = fastifyPlugin(plugin, { name: '@toolwright/fastify', fastify: '5.x' })

/**
 * MCP over Streamable HTTP as a Fastify plugin: `await app.register(mcp, { name, version, scan })`.
 *
 * Registering it twice in one scope fails as any second decorator does; give each its own scope with `app.register`.
 *
 * @throws BootError that lists every mistake found.
 */
export const mcp: FastifyPluginAsync<McpPluginOptions & { prefix?: string }> = mcpOfHost

function createOwnServer(app: FastifyInstance, options: MountOptions & ServerOptions): Promise<McpServer> {
  return createServerIn({ logger: app.log as never, ...closeWhereAuthenticated(options) }, mountHost(options))
}

/** Where an application listens is known only when it does. See `createHost`, which looks before. */
async function closeIfExposed(app: FastifyInstance, options: MountOptions): Promise<void> {
  // A path is a Unix socket, which only this machine reaches.
  const hosts = app.addresses().flatMap((address) => (typeof address === 'string' ? [] : [address.address]))
  const problem = hosts.map((host) => findBindProblem(host, options)).find((found) => found !== null)
  if (problem === undefined) return
  app.log.fatal({ code: problem.code }, problem.message)
  // Not awaited: listening has to end first.
  void app.close()
}

async function mountEndpoint(
  scope: FastifyInstance,
  options: MountOptions & PluginOptions & { server: McpServer },
): Promise<void> {
  const { server, path = '/mcp', sessions = true, retryMs = 1000, keepAliveMs = 15_000 } = options
  const { drainTimeoutMs = 10_000, onDrainTimeout = () => undefined } = options
  const { inFlight } = server
  const { streamAnswers = false } = options
  const policy = createOriginPolicy(options)
  await allowPages(scope, options)
  scope.addHook('onRequest', (request, reply, done) => {
    checkHostAndOrigin(request, policy)
    // Before the body is read. In a session it may hold what a call in flight waits for: then the body decides.
    if (inFlight.isFull && request.method === 'POST' && !namesSession(request)) inFlight.refuse()
    done()
  })
  const { authentication, allowAnonymous } = options
  const allowsAnonymous = (): boolean => allowAnonymous ?? server.allowsAnonymous
  const challenges = new Challenges(authentication)
  acceptPrincipals(scope)
  if (authentication !== undefined) new Authentication(authentication, challenges, allowsAnonymous).guard(scope)
  scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, server.limits))
  acceptRawJson(scope, server.limits)
  const closing = new Closing(scope, server, { drainTimeoutMs, onDrainTimeout })
  const endpoint: EndpointOptions = {
    server,
    sessions,
    streamAnswers,
    retryMs,
    keepAliveMs,
    closing,
    challenges,
  }
  mountRoutes(scope, path, endpoint)
  if (options.answersSlash === true && !path.endsWith('/')) mountRoutes(scope, `${path}/`, endpoint)
  if (options.legacySse === true) mountLegacySse(scope, endpoint)
  const rpcPath = pathOf(options.rpc, '/rpc')
  if (rpcPath !== null) mountRpc(scope, rpcPath, endpoint)
  const webSocketPath = pathOf(options.webSocket, '/ws')
  if (webSocketPath !== null) {
    // Loaded where it is needed only: it would make every start longer.
    const { mountWebSocket } = await import('./web-socket.js')
    await mountWebSocket(scope, webSocketPath, endpoint)
  }
}

function mountRoutes(scope: FastifyInstance, path: string, endpoint: EndpointOptions): void {
  const { server, sessions } = endpoint
  scope.post(path, { bodyLimit: server.limits.maxMessageBytes }, createPostHandler(endpoint))
  if (sessions) {
    scope.get(path, { exposeHeadRoute: false }, createGetHandler(endpoint))
    scope.delete(path, createDeleteHandler(server))
  }
  const others = ['HEAD', 'PUT', 'PATCH', 'OPTIONS', ...(sessions ? [] : ['GET', 'DELETE'])]
  const refuse = refuseMethod(sessions ? 'GET, POST, DELETE' : 'POST')
  // As a hook too: a body that cannot be read must not change the answer.
  scope.route({ method: others, url: path, onRequest: refuse, handler: refuse })
}
