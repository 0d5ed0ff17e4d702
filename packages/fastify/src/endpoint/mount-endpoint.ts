import type { Authenticator } from '@toolwright/core'
import { registerAllowedHosts } from '@toolwright/core/host'
import { type RunningServer, runningServer } from '@toolwright/core/transport'
import type { FastifyInstance } from 'fastify'
import { Closing } from '../connections/closing.js'
import { openConnections } from '../connections/open-connections.js'
import { endQueuedWithConnection } from '../connections/pipelining.js'
import { answerBrowsers } from '../landing-page/answer-browsers.js'
import { pathWithSlash } from '../mount/check-paths.js'
import { hidden } from '../mount/openapi.js'
import { type EndpointOptions, type MountedOptions, pathOf, type ReadMountedOptions } from '../options.js'
import { Authentication } from '../security/authentication.js'
import { Challenges } from '../security/challenge.js'
import { allowPages } from '../security/cors.js'
import { checkHostAndOrigin, createOriginPolicy } from '../security/host-and-origin.js'
import { acceptPrincipals } from '../security/principal.js'
import { metadataAt } from '../security/resource-metadata.js'
import { acceptRawJson } from './body.js'
import { createDeleteHandler, namesSession } from './delete.js'
import { serverCloses } from './errors.js'
import { createGetHandler } from './get.js'
import { mountLegacySse } from './legacy-sse.js'
import { createPostHandler } from './post.js'
import { rejectMethod } from './reject-method.js'
import { sendError } from './reply.js'
import { mountEncodedRpc, mountRpc } from './rpc.js'

/** Mounts the endpoint in a separate scope: its parsers, hooks and error handler do not apply to the application. */
export async function mountEndpoint(scope: FastifyInstance, options: ReadMountedOptions): Promise<void> {
  const server = runningServer(options.server)
  const { path, streamAnswers, retryMs, keepAliveMs, drainTimeoutMs } = options
  const { onDrainTimeout = () => undefined } = options
  const challenges = new Challenges(options.authentication)
  const closing = new Closing(scope, server, { drainTimeoutMs, onDrainTimeout })
  const allowsAnonymous = (): boolean => options.allowAnonymous ?? server.allowsAnonymous
  checkRequests(scope, server, closing, options)
  acceptPrincipals(scope)
  if (options.authentication !== undefined) server.limitAnonymousCallers()
  const guard = (guarded: FastifyInstance, from: Challenges): void => {
    if (options.authentication === undefined) return
    new Authentication(options.authentication, from, allowsAnonymous, server).guard(guarded)
  }
  scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, server))
  acceptRawJson(scope, server.limits)
  scope.addHook('onRoute', (route) => {
    route.schema = hidden
  })
  // Only revisions with a handshake have sessions.
  const sessions = options.sessions && server.sessions !== null && server.offered.latestLegacy !== null
  const endpoint = { server, sessions, streamAnswers, retryMs, keepAliveMs, closing, challenges }
  server.gauges.share(openConnections(scope.server).gauge)
  const paths = [path, pathWithSlash(options)].filter((each) => each !== null)
  await scope.register(async (withoutPage) => {
    guard(withoutPage, challenges)
    for (const each of paths) mountPostAndDelete(withoutPage, each, endpoint)
  })
  // Separate scopes: the challenges of each path name the metadata of this path.
  await mountOthers(options, async (other, mount) => {
    await scope.register(async (own) => {
      const at = new Challenges(authenticationAt(options, other))
      guard(own, at)
      await mount(own, { ...endpoint, challenges: at })
    })
  })
  // A separate scope: browsers get the landing page before authentication, and calls do not run the hook of the page.
  await scope.register(async (withPage) => {
    if (options.landingPage)
      answerBrowsers(withPage, { server, authentication: options.authentication, allowsAnonymous })
    guard(withPage, challenges)
    for (const each of paths) mountGet(withPage, each, endpoint)
  })
}

function checkRequests(
  scope: FastifyInstance,
  { inFlight }: RunningServer,
  closing: Closing,
  options: MountedOptions,
): void {
  const policy = createOriginPolicy(options)
  registerAllowedHosts(scope.server, (host) => policy.allowsHost(host))
  allowPages(scope, options, policy)
  scope.addHook('onRequest', (request, reply, done) => {
    // Only a queued HTTP/1 response has no socket yet.
    if (reply.raw.socket === null) endQueuedWithConnection(reply)
    checkHostAndOrigin(request, policy)
    // This line is reached only with `return503OnClosing: false`. Otherwise, Fastify has already rejected the request.
    if (closing.hasStarted) throw serverCloses()
    // Rejects before the body is read. In a session, the body is read first: it may be a response that a call in flight
    // waits for.
    if (inFlight.isFull && request.method === 'POST' && !namesSession(request)) inFlight.reject()
    done()
  })
}

function authenticationAt({ authentication, path }: ReadMountedOptions, other: string): Partial<Authenticator> {
  const { scheme, requiredScopes, metadata } = authentication ?? {}
  const shared = {
    ...(scheme === undefined ? {} : { scheme }),
    ...(requiredScopes === undefined ? {} : { requiredScopes }),
  }
  return metadata === undefined ? shared : { ...shared, metadata: metadataAt(metadata, path, other) }
}

type Mount = (scope: FastifyInstance, endpoint: EndpointOptions) => unknown

async function mountOthers(
  options: ReadMountedOptions,
  mountAt: (path: string, mount: Mount) => Promise<void>,
): Promise<void> {
  if (options.legacySse) await mountAt('/sse', mountLegacySse)
  const rpcPath = pathOf(options.rpc, '/rpc')
  if (rpcPath !== null) await mountAt(rpcPath, (scope, endpoint) => mountRpc(scope, rpcPath, endpoint))
  for (const encoded of options.rpcEndpoints) {
    // oxlint-disable-next-line no-await-in-loop
    await mountAt(encoded.path, (scope, endpoint) => mountEncodedRpc(scope, encoded, endpoint))
  }
  const webSocketPath = pathOf(options.webSocket, '/ws')
  if (webSocketPath === null) return
  // The module is loaded on demand, because it slows down the start.
  const { mountWebSocket } = await import('../web-socket/web-socket.js')
  await mountAt(webSocketPath, (scope, endpoint) => mountWebSocket(scope, webSocketPath, endpoint))
}

function mountPostAndDelete(scope: FastifyInstance, path: string, endpoint: EndpointOptions): void {
  const { server, sessions } = endpoint
  scope.post(path, { bodyLimit: server.limits.maxMessageBytes }, createPostHandler(endpoint))
  if (sessions) scope.delete(path, createDeleteHandler(server))
}

function mountGet(scope: FastifyInstance, path: string, endpoint: EndpointOptions): void {
  const { sessions } = endpoint
  if (sessions) scope.get(path, { exposeHeadRoute: false }, createGetHandler(endpoint))
  const others = ['HEAD', 'PUT', 'PATCH', 'OPTIONS', ...(sessions ? [] : ['GET', 'DELETE'])]
  const reject = rejectMethod(sessions ? 'GET, POST, DELETE' : 'POST')
  // The hook runs before the body is read, so that an unreadable body does not change the response.
  scope.route({ method: others, url: path, onRequest: reject, handler: reject })
}
