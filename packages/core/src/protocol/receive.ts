import { shorten } from '@toolwright/schema'
import { ProtocolError } from '../errors/protocol-error.js'
import { runFenced } from '../errors/run-fenced.js'
import type { CallLimiter, Permit } from '../limits/call-limiter.js'
import type { Counter, OversizedMessages } from '../limits/counter.js'
import {
  type JsonObject,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  readMessage,
} from '../rpc/messages.js'
import { accepted, errorAnswer, failExchange, failureAnswer } from './answer.js'
import type { Era } from './era.js'
import type { Exchange } from './exchange.js'
import type { Extension, MessageReceiver, ReceivingServer } from './extensions/extension.js'
import { joinSession, namesSession, revisionOf } from './legacy/era.js'
import type { Sessions } from './legacy/session.js'
import {
  claimedVersion,
  claimsModern,
  claimsServedVersion,
  missingMeta,
  unsupportedVersion,
} from './modern/read-request.js'
import { callerOf, RequestCall } from './request-call.js'
import type { OfferedRevisions } from './revisions.js'

export interface Eras {
  readonly legacy: Era
  readonly modern: Era
  readonly revisions: OfferedRevisions
  readonly callers: CallLimiter | null
  readonly maxBatch: number
  /** Maximum bytes of all responses of a batch together. */
  readonly maxResultBytes: number
  readonly sessions: Sessions | null
  readonly oversizedResults: Counter
  readonly oversizedMessages: OversizedMessages
  readonly extensions: readonly Extension[]
  readonly receivers: readonly MessageReceiver[]
  readonly receivingServer: ReceivingServer
}

/**
 * @param message The message of the exchange, which {@link readMessage} returned.
 * @param receiver Index of the next receiver of an extension.
 */
export function receiveMessage(message: RpcMessage, exchange: Exchange, eras: Eras, receiver = 0): void {
  if (receiver < eras.receivers.length) passThrough(receiver, exchange, eras)
  else if (message.kind === 'request') receiveRequest(message, exchange, eras)
  else if (message.kind === 'notification') void receiveNotification(message, exchange, eras)
  else if (message.kind === 'response') void receiveResponse(message, exchange, eras)
  else {
    const error = new ProtocolError('invalidRequest', `Invalid Request: ${message.reason}`)
    exchange.respond(errorAnswer(message.id, error, eras.modern))
  }
}

function passThrough(index: number, exchange: Exchange, eras: Eras): void {
  const receive = eras.receivers[index] as MessageReceiver
  const next = (passed: Exchange): void => receiveMessage(readMessage(passed.message), passed, eras, index + 1)
  runFenced(
    () => receive(exchange, next, eras.receivingServer),
    (error) => failExchange(error, exchange),
  )
}

/**
 * Serves a request. The body of the request decides the era. A header alone does not make the request modern, but must not
 * contradict the body.
 */
function receiveRequest(request: RpcRequest, exchange: Exchange, eras: Eras): void {
  const { legacy, modern, revisions, callers } = eras
  // A handshake is legacy, unless its `_meta` names an offered modern version.
  const isHandshake = request.method === 'initialize' && !claimsServedVersion(request.params, revisions)
  if (claimsModern(request.params) && !isHandshake) {
    // A server without modern revisions sends a legacy error, because clients regard servers with modern errors as modern.
    if (revisions.modern.length > 0) serve(request, exchange, modern, callers)
    else rejectRequest(unsupportedClaim(request.params, revisions), request, exchange, modern, callers)
    return
  }
  const misplaced = findMisplaced(request, isHandshake, exchange, revisions)
  if (misplaced !== null) rejectRequest(misplaced, request, exchange, modern, callers)
  else if (isHandshake || !namesSession(exchange)) serve(request, exchange, legacy, callers)
  else serveInSession(request, exchange, eras)
}

function findMisplaced(
  { params }: RpcRequest,
  isHandshake: boolean,
  exchange: Exchange,
  revisions: OfferedRevisions,
): ProtocolError | null {
  if (revisions.latestLegacy === null) {
    return isHandshake ? unsupportedVersion(String(params['protocolVersion']), revisions) : missingMeta(params)
  }
  if (!announcesModern(exchange, revisions)) return null
  if (!isHandshake) return missingMeta(params)
  return new ProtocolError(
    'headerMismatch',
    'Header mismatch: MCP-Protocol-Version names a version that does not support initialize',
  )
}

/**
 * Serves a request of an era. The response is sent to the exchange, synchronously if the method returns synchronously.
 *
 * @param callers Limits the rate and concurrency of each caller; `null`: no limit.
 */
function serve(request: RpcRequest, exchange: Exchange, era: Era, callers: CallLimiter | null): void {
  let call: RequestCall
  try {
    call = new RequestCall(request, exchange, era, era.read(request, exchange))
    // Ids in flight must be unique, because a cancellation identifies its request by the id.
    if (call.peer?.begin(request.id, call.cancellation) === false) {
      throw new ProtocolError('invalidRequest', 'Invalid Request: a request with this id is in flight')
    }
  } catch (error) {
    rejectRequest(error, request, exchange, era, callers)
    return
  }
  exchange.call = call
  exchange.hooks?.called?.(call)
  if (callers === null) {
    call.run()
    return
  }
  callers.enter(call.caller).then(
    (permit) => runWith(permit, call),
    (error: unknown) => call.fail(error),
  )
}

function runWith(permit: Permit, call: RequestCall): void {
  call.callerPermit = permit
  call.run()
}

/** Rejects a request without a call. Even rejected requests count toward the limits. */
function rejectRequest(
  reason: unknown,
  request: RpcRequest,
  exchange: Exchange,
  era: Era,
  callers: CallLimiter | null,
): void {
  const respond = (failure: unknown): void => exchange.respond(failureAnswer(failure, request, exchange, era))
  if (callers === null) {
    respond(reason)
    return
  }
  const leave = (permit: Permit): void => {
    permit.leave()
    respond(reason)
  }
  callers.enter(callerOf(exchange)).then(leave, respond)
}

function serveInSession(request: RpcRequest, exchange: Exchange, { legacy, callers, sessions }: Eras): void {
  const proceed = (): void => serve(request, exchange, legacy, callers)
  const fail = (error: unknown): void => {
    if (error instanceof ProtocolError) rejectRequest(error, request, exchange, legacy, callers)
    else failExchange(error, exchange)
  }
  try {
    const joining = joinSession(exchange, sessions)
    if (joining instanceof Promise) {
      joining.then(proceed, fail).catch((error: unknown) => failExchange(error, exchange))
      return
    }
  } catch (error) {
    fail(error)
    return
  }
  proceed()
}

async function receiveNotification(notification: RpcNotification, exchange: Exchange, eras: Eras): Promise<void> {
  const { legacy, modern, revisions } = eras
  const isOnlyModern = revisions.latestLegacy === null
  const isModern = isOnlyModern || claimsModern(notification.params) || announcesModern(exchange, revisions)
  const era = isModern ? modern : legacy
  try {
    if (!isModern && namesSession(exchange)) await joinSession(exchange, eras.sessions)
    await era.receiveNotification(notification, exchange)
    exchange.respond(accepted)
  } catch (error) {
    reject(error, exchange, era)
  }
}

/** Responses are legacy: a modern server sends its clients no requests. The promise never rejects. */
async function receiveResponse(response: RpcResponse, exchange: Exchange, eras: Eras): Promise<void> {
  const { legacy, revisions, sessions } = eras
  try {
    if (namesSession(exchange)) await joinSession(exchange, sessions)
    const { peer } = exchange
    revisionOf(exchange, revisions)
    await peer?.answer(response)
    exchange.respond(accepted)
  } catch (error) {
    reject(error, exchange, legacy)
  }
}

function reject(error: unknown, exchange: Exchange, era: Era): void {
  if (error instanceof ProtocolError) exchange.respond(errorAnswer(undefined, error, era))
  else failExchange(error, exchange)
}

function announcesModern({ headers }: Exchange, revisions: OfferedRevisions): boolean {
  const version = headers?.['mcp-protocol-version']
  return version !== undefined && revisions.find('modern', String(version)) !== undefined
}

function unsupportedClaim(params: JsonObject, { legacy }: OfferedRevisions): ProtocolError {
  const data = { supported: legacy, requested: shorten(claimedVersion(params)) }
  return new ProtocolError('invalidRequest', 'Invalid Request: unsupported protocol version. Call initialize', data)
}
