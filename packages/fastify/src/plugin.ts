import type { McpServer, Principal, ServerOptions } from '@toolwright/core'
import { createServerIn, Problems, runningServer } from '@toolwright/core/internal'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { Authentication } from './authentication.js'
import { Challenges } from './challenge.js'
import { describeClosed } from './closed-features.js'
import { Closing } from './closing.js'
import { allowPages } from './cors.js'
import { createGetHandler } from './get.js'
import { checkHostAndOrigin, createOriginPolicy } from './host-and-origin.js'
import { acceptRawJson } from './json-body.js'
import { mountLegacySse } from './legacy-sse.js'
import { checkMount, closeWhereAuthenticated, mountPlugin } from './mount-host.js'
import { findBindProblem } from './open-bind.js'
import { openConnections } from './open-connections.js'
import {
  type EndpointOptions,
  type McpPluginOptions,
  type MountedOptions,
  type MountOptions,
  pathOf,
} from './options.js'
import { createPostHandler } from './post.js'
import { acceptPrincipals } from './principal.js'
import { refuseMethod } from './refuse-method.js'
import { serveResourceMetadata } from './resource-metadata.js'
import { mountRpc } from './rpc.js'
import { sendError } from './send-error.js'
import { createDeleteHandler, namesSession } from './sessions.js'

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

const plugin: FastifyPluginAsync<McpPluginOptions & { prefix?: string }> = async (app, options) => {
  if (options.server !== undefined) {
    const problems = new Problems()
    checkMount(options, problems)
    problems.throwIfAny()
    return mountServer(app, options)
  }
  const server = await createOwnServer(app, options)
  // Before anything is mounted: an application that does not start closes what it has.
  app.addHook('onClose', () => server.close())
  return mountServer(app, { ...options, server })
}

/** Shares `app.mcp` with the application; the plugin inside keeps parsers, hooks and errors to itself. */
async function mountServer(app: FastifyInstance, options: MountedOptions): Promise<void> {
  const { server, authentication, path = '/mcp', prefix = '' } = options
  app.decorate('mcp', server)
  if (authentication?.metadata !== undefined) {
    serveResourceMetadata(app, authentication.metadata, `${app.prefix}${prefix}${path}`)
  }
  for (const gauge of authentication?.gauges ?? []) server.gauges.share(gauge)
  await app.register(mountEndpoint, { ...options, prefix })
  app.addHook('onListen', () => closeIfExposed(app, options))
  if (authentication === undefined) warnOfClosed(app, server)
}

const pluginMetadata = { name: '@toolwright/fastify', fastify: '5.x' }

/** The plugin as `createHost` registers it, with a server and options that it has checked. */
export const mcpOfHost: FastifyPluginAsync<MountedOptions> = fastifyPlugin(mountServer, pluginMetadata)

/**
 * MCP over Streamable HTTP as a Fastify plugin: `await app.register(mcp, { name, version, scan })`.
 *
 * Registering it twice in one scope fails as any second decorator does; give each its own scope with `app.register`.
 *
 * @throws BootError that lists every mistake found.
 */
export const mcp: FastifyPluginAsync<McpPluginOptions & { prefix?: string }> = fastifyPlugin(plugin, pluginMetadata)

function createOwnServer(app: FastifyInstance, options: MountOptions & ServerOptions): Promise<McpServer> {
  return createServerIn(closeWhereAuthenticated(options), { ...mountPlugin(options), log: app.log as never })
}

/** Whether the application finds out who calls, nobody knows before it does. */
function warnOfClosed(app: FastifyInstance, server: McpServer): void {
  const closed = describeClosed(server)
  if (closed !== null) app.log.warn(`${closed}. Unless a hook sets request.mcpPrincipal, nobody can use them`)
}

/** Where an application listens is known only when it does. See `createHost`, which looks before. */
async function closeIfExposed(app: FastifyInstance, options: MountedOptions): Promise<void> {
  // A path is a Unix socket, which only this machine reaches.
  const hosts = app.addresses().flatMap((address) => (typeof address === 'string' ? [] : [address.address]))
  const problem = hosts.map((host) => findBindProblem(host, options, options.server)).find((found) => found !== null)
  if (problem === undefined) return
  app.log.fatal({ code: problem.code }, problem.message)
  // Not awaited: listening has to end first.
  void app.close()
}

async function mountEndpoint(scope: FastifyInstance, options: MountedOptions): Promise<void> {
  const { path = '/mcp', sessions = true, retryMs = 1000, keepAliveMs = 15_000 } = options
  const { drainTimeoutMs = 10_000, onDrainTimeout = () => undefined } = options
  const server = runningServer(options.server)
  const { inFlight } = server
  const { streamAnswers = false } = options
  const policy = createOriginPolicy(options)
  allowPages(scope, options)
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
  if (authentication !== undefined) {
    new Authentication(authentication, challenges, allowsAnonymous, server.refusedCallers).guard(scope)
  }
  scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, server))
  acceptRawJson(scope, server.limits)
  const paths = pathsOf(options, scope.prefix)
  const closing = new Closing(scope, server, { drainTimeoutMs, onDrainTimeout, paths })
  const endpoint: EndpointOptions = {
    server,
    sessions,
    streamAnswers,
    retryMs,
    keepAliveMs,
    closing,
    challenges,
  }
  server.gauges.share(openConnections(scope.server).gauge)
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

/** Where the endpoint answers, and what it serves besides. */
function pathsOf(
  { path = '/mcp', answersSlash, legacySse, rpc, webSocket }: MountedOptions,
  prefix: string,
): ReadonlySet<string> {
  const paths = [
    path,
    answersSlash === true ? `${path}/` : null,
    pathOf(legacySse, '/sse'),
    pathOf(legacySse, '/messages'),
    pathOf(rpc, '/rpc'),
    pathOf(webSocket, '/ws'),
  ]
  return new Set(paths.flatMap((one) => (one === null ? [] : `${prefix}${one}`)))
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
