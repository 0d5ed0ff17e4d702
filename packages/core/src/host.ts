// Exports for hosts and extensions of this repository, such as the Fastify plugin. They can change in any minor release.

export { shorten } from '@toolwright/schema'
export { ScopeGrants, scopePattern } from './authorization/scopes.js'
export { decodeCursor, encodeCursor } from './call/cursor.js'
export { compileRouteRule, type RouteAccess } from './catalog/authorization/route-rule.js'
export { modulesBeingEvaluated } from './catalog/scan/module-loader.js'
export { CallCancelled } from './context/cancellation.js'
export { checkPrincipal, completePrincipal } from './context/principal.js'
export { networkTransports, type TransportName } from './context/viewer.js'
export { errorIdOf, internalError } from './errors/internal-error.js'
export { logFailure, tryLog } from './errors/log-failure.js'
export { MessageTooLarge } from './errors/protocol-error.js'
export { requireNoPromise, runFenced } from './errors/run-fenced.js'
export { UnknownFeatureError } from './errors/unknown-feature-error.js'
export { isHiddenRejection } from './hooks/hidden-rejections.js'
export { Quota } from './limits/quota.js'
export { cancelled } from './protocol/answer.js'
export { type ExchangeInit, type TransportHooks } from './protocol/exchange.js'
export { revisionInHeader } from './protocol/legacy/era.js'
export {
  Session,
  type SessionReader,
  type SessionStream,
  type StreamEvent,
  sessionNotFound,
} from './protocol/legacy/session.js'
export { writeExample } from './protocol/modern/read-request.js'
export { Peer } from './protocol/peer.js'
export { callerOf } from './protocol/request-call.js'
export { OfferedRevisions, supportedVersions } from './protocol/revisions.js'
export { findIdAtEnds } from './rpc/find-request-id.js'
export { idForError, readMessage } from './rpc/messages.js'
export { createServerIn, type Host } from './server/create-server.js'
export { isServer } from './server/mcp-server-instance.js'
export { requireOptionsObject } from './server/resolve-options.js'
export { type DeferredTask } from './timing/deferred-tasks.js'
export { startLongTimer } from './timing/long-timer.js'
export { isPromiseLike, TimeoutError, withTimeout } from './timing/with-timeout.js'
export { yieldToEventLoop } from './timing/yield-to-event-loop.js'
export { encodeLongAnswer, isLong } from './transports/long-messages.js'
export { isForeignHost, isLoopback, registerAllowedHosts } from './transports/loopback.js'
export { type Outgoing, type Output, type Paused } from './transports/outbox.js'
