import { ProtocolError, shorten } from '../errors/protocol-error.js'
import { runFenced } from '../errors/run-fenced.js'
import type { CallLimiter } from '../limits/call-limiter.js'
import type { Counter, OversizedMessages } from '../limits/counter.js'
import {
  type JsonObject,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  readMessage,
} from '../rpc/messages.js'
import type { Era } from './era.js'
import { accepted, type Exchange } from './exchange.js'
import type { Extension, MessageReceiver, ReceivingServer } from './extensions/extension.js'
import { joinSession, namesSession, peerOf, revisionOf } from './legacy/era.js'
import {
  claimedVersion,
  claimsModern,
  claimsServedVersion,
  missingMeta,
  unsupportedVersion,
} from './modern/read-request.js'
import { errorAnswer, RequestCall } from './request-call.js'
import type { OfferedRevisions } from './revisions.js'

export interface Eras {
  readonly legacy: Era
  readonly modern: Era
  readonly revisions: OfferedRevisions
  /** Limits the rate and concurrency of each caller; `null`: no limit. */
  readonly callers: CallLimiter | null
  /** Maximum number of messages in a batch. */
  readonly maxBatch: number
  /** Maximum bytes of all responses of a batch together. */
  readonly maxResultBytes: number
  readonly oversizedResults: Counter
  readonly oversizedMessages: OversizedMessages
  readonly extensions: readonly Extension[]
  /** Receivers of the extensions, in the order of the extensions. */
  readonly receivers: readonly MessageReceiver[]
  readonly receivingServer: ReceivingServer
}

/** @param message The message of the exchange, which {@link readMessage} returned. */
export function receiveMessage(message: RpcMessage, exchange: Exchange, eras: Eras): void {
  if (eras.receivers.length === 0) receiveRead(message, exchange, eras)
  else receiveFrom(0, exchange, eras)
}

/** Passes a message to the receivers of the extensions, and then to the server. */
function receiveFrom(index: number, exchange: Exchange, eras: Eras): void {
  const receiver = eras.receivers[index]
  if (receiver === undefined) {
    receiveRead(readMessage(exchange.message), exchange, eras)
    return
  }
  const next = (passed: Exchange): void => receiveFrom(index + 1, passed, eras)
  runFenced(
    () => receiver(exchange, next, eras.receivingServer),
    (error) => exchange.fail(error),
  )
}

function receiveRead(message: RpcMessage, exchange: Exchange, eras: Eras): void {
  if (message.kind === 'request') receiveRequest(message, exchange, eras)
  else if (message.kind === 'notification') void receiveNotification(message, exchange, eras)
  else if (message.kind === 'response') void receiveResponse(message, exchange, eras)
  else {
    const error = new ProtocolError('invalidRequest', `Invalid Request: ${message.reason}`)
    exchange.answer(errorAnswer(message.id, error, eras.modern))
  }
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
    const call = new RequestCall(request, exchange, modern)
    // A server without modern revisions sends a legacy error, because clients regard servers with modern errors as modern.
    if (revisions.modern.length > 0) call.receive(callers)
    else call.reject(unsupportedClaim(request.params, revisions), callers)
    return
  }
  if (revisions.latestLegacy === null) {
    const { params } = request
    const error = isHandshake ? unsupportedVersion(String(params['protocolVersion']), revisions) : missingMeta(params)
    new RequestCall(request, exchange, modern).reject(error, callers)
    return
  }
  if (announcesModern(exchange, revisions)) {
    const error = isHandshake
      ? new ProtocolError(
          'headerMismatch',
          'Header mismatch: MCP-Protocol-Version names a version that does not support initialize',
        )
      : missingMeta(request.params)
    new RequestCall(request, exchange, modern).reject(error, callers)
    return
  }
  const call = new RequestCall(request, exchange, legacy)
  if (isHandshake || !namesSession(exchange)) call.receive(callers)
  else receiveInSession(call, callers)
}

/** Finds the session of a legacy request, and then serves the request. Runs synchronously if the store is synchronous. */
function receiveInSession(call: RequestCall, callers: CallLimiter | null): void {
  const { exchange } = call
  const receive = (): void => call.receive(callers)
  const fail = (error: unknown): void => {
    if (error instanceof ProtocolError) call.reject(error, callers)
    else exchange.fail(error)
  }
  try {
    const joining = joinSession(exchange)
    if (joining instanceof Promise) {
      joining.then(receive, fail).catch((error: unknown) => exchange.fail(error))
      return
    }
  } catch (error) {
    fail(error)
    return
  }
  receive()
}

/** Serves a notification. The promise never rejects. */
async function receiveNotification(notification: RpcNotification, exchange: Exchange, eras: Eras): Promise<void> {
  const { legacy, modern, revisions } = eras
  const isOnlyModern = revisions.latestLegacy === null
  const isModern = isOnlyModern || claimsModern(notification.params) || announcesModern(exchange, revisions)
  const era = isModern ? modern : legacy
  try {
    if (!isModern && namesSession(exchange)) await joinSession(exchange)
    await era.receiveNotification(notification, exchange)
    exchange.answer(accepted)
  } catch (error) {
    reject(error, exchange, era)
  }
}

/** Responses are legacy: a modern server sends its clients no requests. The promise never rejects. */
async function receiveResponse(response: RpcResponse, exchange: Exchange, { legacy, revisions }: Eras): Promise<void> {
  try {
    if (namesSession(exchange)) await joinSession(exchange)
    const peer = peerOf(exchange)
    revisionOf(exchange, peer, revisions)
    await peer?.answer(response)
    exchange.answer(accepted)
  } catch (error) {
    reject(error, exchange, legacy)
  }
}

function reject(error: unknown, exchange: Exchange, era: Era): void {
  if (error instanceof ProtocolError) exchange.answer(errorAnswer(undefined, error, era))
  else exchange.fail(error)
}

function announcesModern({ headers }: Exchange, revisions: OfferedRevisions): boolean {
  const version = headers?.['mcp-protocol-version']
  return version !== undefined && revisions.find('modern', String(version)) !== undefined
}

/** Returns the error for a request that claims a modern revision, from a server without modern revisions. */
function unsupportedClaim(params: JsonObject, { legacy }: OfferedRevisions): ProtocolError {
  const data = { supported: legacy, requested: shorten(claimedVersion(params)) }
  return new ProtocolError('invalidRequest', 'Invalid Request: unsupported protocol version. Call initialize', data)
}
