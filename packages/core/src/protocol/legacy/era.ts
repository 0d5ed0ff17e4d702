import { shorten } from '@toolwright/schema'
import { isLoggingLevel } from '../../context/logging-level.js'
import type { RequestHeaders } from '../../context/mcp-context.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { isJsonObject, type RpcNotification } from '../../rpc/messages.js'
import type { MaybePromise } from '../../timing/maybe-promise.js'
import type { ProtocolDependencies } from '../dependencies.js'
import { answering, answeringLater, type Era, type Methods } from '../era.js'
import type { Exchange } from '../exchange.js'
import { createFeatureMethods } from '../methods/feature-methods.js'
import { createMethodTable, type FindMethod } from '../methods/method-table.js'
import { createPlainWriter } from '../methods/result-writer.js'
import { whenUsed } from '../methods/when-used.js'
import { checkLegacyHeaders } from '../modern/read-request.js'
import type { PeerState } from '../peer.js'
import type { RequestCall, RequestFacts } from '../request-call.js'
import { type OfferedRevisions, type Revision, requireLegacy } from '../revisions.js'
import { askAndRunAgain, LegacyClientRequester } from './client-requests.js'
import { initialize } from './initialize.js'
import { type Session, type Sessions, sessionNotFound } from './session.js'
import { createSubscribe, unsubscribe } from './subscriptions.js'

/**
 * Creates the era of revision 2025-11-25 and older revisions. A handshake negotiates the revision. Without a handshake, requests
 * are stateless.
 */
export function createLegacyEra(dependencies: ProtocolDependencies): Era {
  const findMethod = createMethodTable('legacy', dependencies, createMethods)
  return {
    name: 'legacy',
    changes: dependencies.changes,
    exposeErrors: dependencies.exposeErrors,
    read: createReader(dependencies.revisions, findMethod),
    openClientRequester: (call) => new LegacyClientRequester(call, dependencies),
    requireInput: askAndRunAgain,
    receiveNotification: (notification, exchange) =>
      receiveNotification(notification, exchange, dependencies.revisions),
    // The status of an unknown method is 200 in the legacy era, and 404 in the modern era.
    statusOf: ({ kind, status }) => (kind === 'methodNotFound' ? 200 : status),
  }
}

function createMethods(dependencies: ProtocolDependencies, revision: Revision): Methods {
  const { resources, resourceTemplates } = dependencies.catalog
  const writer = createPlainWriter(dependencies, revision)
  const subscribe = createSubscribe(dependencies)
  const subscriptions = {
    'resources/subscribe': answeringLater(subscribe),
    'resources/unsubscribe': answeringLater(unsubscribe),
  }
  return {
    initialize: answeringLater((call) => initialize(call, dependencies)),
    ping: answering(() => '{}'),
    'logging/setLevel': answeringLater(setLevel),
    ...(dependencies.notifyChanges ? whenUsed([resources.use, resourceTemplates.use], subscriptions) : {}),
    ...createFeatureMethods(writer),
    ...dependencies.extensions.createMethods(writer),
  }
}

const initialLogLevel = 'info'

async function setLevel({ request, peer }: RequestCall): Promise<string> {
  const { level } = request.params
  if (!isLoggingLevel(level)) throw new ProtocolError('invalidParams', 'Invalid params: unknown log level')
  await peer?.remember((state) => ({ ...state, logLevel: level }))
  return '{}'
}

function createReader(revisions: OfferedRevisions, findMethod: FindMethod): Era['read'] {
  return function read(request, exchange): RequestFacts {
    const { headers, sender, peer } = exchange
    if (headers !== null) checkLegacyHeaders(request, headers)
    // The body of `initialize` negotiates the revision. The version in the header is ignored.
    const revision = request.method === 'initialize' ? requireLegacy(revisions) : revisionOf(exchange, revisions)
    const handshake = peer?.state.handshake ?? null
    if (peer !== null) peer.principal = sender.principal
    const { _meta: all } = request.params
    const meta = {
      clientInfo: handshake?.clientInfo ?? null,
      clientCapabilities: handshake?.clientCapabilities ?? {},
      logLevel: peer?.state.logLevel ?? initialLogLevel,
      all: isJsonObject(all) ? all : {},
    }
    return { revision, peer, meta, isRetry: false, serve: findMethod(request.method, revision) }
  }
}

export function namesSession({ peer, headers, hooks }: Exchange): boolean {
  return headers?.['mcp-session-id'] !== undefined && peer === null && hooks?.opensSessions === true
}

/**
 * Finds the session that a message names.
 *
 * @throws ProtocolError 404 if the session does not exist: the client then starts a new session. 503 if the store fails.
 */
export function joinSession(exchange: Exchange, sessions: Sessions | null): MaybePromise<void> {
  const { headers, sender } = exchange
  const found = sessions?.find(String(headers?.['mcp-session-id']), sender.principal)
  return found instanceof Promise ? found.then((session) => join(exchange, session)) : join(exchange, found)
}

function join(exchange: Exchange, session: Session | undefined): void {
  if (session === undefined) throw sessionNotFound()
  exchange.peer = session
}

/**
 * Returns the revision of a message: from the handshake, or from the header, or the default of the spec.
 *
 * @throws ProtocolError if the header does not name an offered legacy revision, or the default is not offered.
 */
export function revisionOf({ headers, peer }: Exchange, revisions: OfferedRevisions): Revision {
  const named = revisionInHeader(headers, revisions)
  const agreed = peer?.state.handshake?.revision ?? named
  if (agreed !== undefined) return agreed
  if (headers === null) return requireLegacy(revisions)
  const { assumedOverHttp, versions } = revisions
  if (assumedOverHttp !== undefined) return assumedOverHttp
  const message = 'Invalid Request: the MCP-Protocol-Version header is missing'
  throw new ProtocolError('invalidRequest', message, { supported: versions })
}

/** Returns the revision in the header. @throws ProtocolError if the header does not name an offered legacy revision. */
export function revisionInHeader(headers: RequestHeaders | null, revisions: OfferedRevisions): Revision | undefined {
  const named = headers?.['mcp-protocol-version']
  if (named === undefined) return undefined
  const revision = revisions.find('legacy', String(named))
  if (revision !== undefined) return revision
  const isModern = revisions.find('modern', String(named)) !== undefined
  const data = { supported: isModern ? revisions.legacy : revisions.versions, requested: shorten(String(named)) }
  throw new ProtocolError('invalidRequest', 'Invalid Request: unsupported MCP-Protocol-Version header', data)
}

function withChangedRoots(state: PeerState): PeerState {
  return { ...state, rootsChanges: state.rootsChanges + 1 }
}

async function receiveNotification(
  { method, params }: RpcNotification,
  exchange: Exchange,
  revisions: OfferedRevisions,
): Promise<void> {
  const { peer } = exchange
  revisionOf(exchange, revisions)
  if (peer === null) return
  if (method === 'notifications/cancelled') await peer.cancel(params['requestId'])
  if (method === 'notifications/roots/list_changed') await peer.remember(withChangedRoots)
  if (method !== 'notifications/initialized' || peer.state.isInitialized) return
  await peer.remember((state) => ({ ...state, isInitialized: true }))
}
