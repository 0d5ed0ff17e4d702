// For the sibling packages of this repository only: anything here may change in any release.

export { scopePattern } from './authorization/scope-pattern.js'
export { type Bus, InProcessBus } from './bus.js'
export { modulesBeingEvaluated } from './catalog/scan/modules-being-evaluated.js'
export {
  checkNames,
  type NamesOf,
  requireBoolean,
  requireFunction,
  requireMethods,
  requireNumber,
  requireObject,
} from './check-options.js'
export { describeClosed, listNames } from './closed-features.js'
export { checkPrincipal, completePrincipal } from './context/principal.js'
export { whenExpired } from './context/when-expired.js'
export { createServerIn, type Host } from './create-server.js'
export { addOwnProblems } from './errors/add-own-problems.js'
export { describeValue } from './errors/describe-value.js'
export { errorIdOf, internalError } from './errors/internal-error.js'
export { describeListenFault } from './errors/listen-fault.js'
export { logFailure } from './errors/log-failure.js'
export { nearestName } from './errors/nearest-name.js'
export { Problems } from './errors/problems.js'
export { MessageTooLarge, shorten } from './errors/protocol-error.js'
export { resolveLimits } from './limits/limits.js'
export { logOutput } from './log-output.js'
export { optionNames } from './options.js'
export { type Answer, cancelled, Exchange, type ExchangeInit } from './protocol/exchange.js'
export { openChannel, resumeStream } from './protocol/legacy/get-streams.js'
export { InMemoryEventStore } from './protocol/legacy/in-memory-event-store.js'
export { revisionInHeader } from './protocol/legacy/legacy-era.js'
export type { RequestStream } from './protocol/legacy/request-stream.js'
export type { Session } from './protocol/legacy/session.js'
export { sessionNotFound } from './protocol/legacy/session-not-found.js'
export { callerOf } from './protocol/legacy/session-record.js'
export type { StreamEvent, StreamReader } from './protocol/legacy/stream-reader.js'
export { writeExample } from './protocol/modern/request-meta.js'
export { Peer } from './protocol/peer.js'
export { supportedVersions } from './protocol/revisions.js'
export { logToStderr, requireOptionsObject } from './resolve-options.js'
export { readMessage } from './rpc/messages.js'
export { parseJson } from './rpc/parse-json.js'
export { errorResponse } from './rpc/respond.js'
export { isServer, RunningServer, runningServer } from './running-server.js'
export { callerOfTask, isOver } from './tasks/task.js'
export { bytesOfTask } from './tasks/task-store.js'
export type { TurnTask } from './timing/next-turn.js'
export { longestTimer, startTimer } from './timing/start-timer.js'
export { turnOfItsOwn } from './timing/turn-of-its-own.js'
export { isPromiseLike, NotInTime, within } from './timing/within.js'
export { Connection } from './transports/connection.js'
export { idOfRefused, inTurn, isLong, readInTurn } from './transports/long-messages.js'
