import { ProtocolError } from '../errors/protocol-error.js'
import type { Counter, OversizedMessages } from '../limits/counter.js'
import {
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  readMessage,
} from '../rpc/messages.js'
import type { Era } from './era.js'
import { type Answer, accepted, type Exchange } from './exchange.js'
import { joinSession, namesSession, peerOf, revisionOf } from './legacy/era.js'
import { claimsModern, claimsServedVersion, missingMeta } from './modern/request-meta.js'
import { findRevision } from './revisions.js'
import { errorAnswer, type RequestRules, refuseRequest, runRequest } from './run-request.js'

export interface Eras extends RequestRules {
  readonly legacy: Era
  readonly modern: Era
  /** At most so many messages in a batch. */
  readonly maxBatch: number
  /** Bytes that the answers of a batch may have together. */
  readonly maxResultBytes: number
  readonly oversizedResults: Counter
  readonly oversizedMessages: OversizedMessages
}

/** Serves a message that is not a batch. */
export function receiveMessage(exchange: Exchange, eras: Eras): Answer | Promise<Answer> {
  return receiveRead(readMessage(exchange.message), exchange, eras)
}

/** @param message What the exchange is of. */
export function receiveRead(message: RpcMessage, exchange: Exchange, eras: Eras): Answer | Promise<Answer> {
  if (message.kind === 'request') return receiveRequest(message, exchange, eras)
  if (message.kind === 'notification') return receiveNotification(message, exchange, eras)
  if (message.kind === 'response') return receiveResponse(message, exchange, eras)
  const error = new ProtocolError('invalidRequest', `Invalid Request: ${message.reason}`)
  return errorAnswer(message.id, error, eras.modern)
}

/** The era of a request is what its body says; a header alone makes none modern, but must not contradict. */
function receiveRequest(request: RpcRequest, exchange: Exchange, eras: Eras): Answer | Promise<Answer> {
  const { legacy, modern } = eras
  // A handshake is legacy whatever its `_meta` says, unless that really names a modern version.
  const isHandshake = request.method === 'initialize' && !claimsServedVersion(request.params)
  if (claimsModern(request.params) && !isHandshake) return runRequest(request, exchange, modern, eras)
  if (!announcesModern(exchange)) {
    if (isHandshake || !namesSession(exchange)) return runRequest(request, exchange, legacy, eras)
    return inSession(request, exchange, eras, () => runRequest(request, exchange, legacy, eras))
  }
  const error = isHandshake
    ? new ProtocolError('headerMismatch', 'Header mismatch: MCP-Protocol-Version names a version without initialize')
    : missingMeta(request.params)
  return refuseRequest(request, error, exchange, modern, eras)
}

function receiveNotification(notification: RpcNotification, exchange: Exchange, eras: Eras): Answer | Promise<Answer> {
  const { legacy, modern } = eras
  const isModern = claimsModern(notification.params) || announcesModern(exchange)
  const era = isModern ? modern : legacy
  const receive = (): Answer | Promise<Answer> =>
    acceptOrRefuse(era, () => era.receiveNotification(notification, exchange))
  return isModern || !namesSession(exchange) ? receive() : inSession(null, exchange, eras, receive)
}

/** Responses are legacy: a modern server sends its clients no requests. */
function receiveResponse(response: RpcResponse, exchange: Exchange, eras: Eras): Answer | Promise<Answer> {
  const { legacy } = eras
  const receive = (): Answer | Promise<Answer> =>
    acceptOrRefuse(legacy, () => {
      const peer = peerOf(exchange)
      revisionOf(exchange, peer)
      return peer?.answer(response)
    })
  return namesSession(exchange) ? inSession(null, exchange, eras, receive) : receive()
}

/**
 * Serves a legacy message that names a session, once that is found: at once, where the store answers at once.
 *
 * @param request `null`: the message is none.
 */
function inSession(
  request: RpcRequest | null,
  exchange: Exchange,
  eras: Eras,
  serve: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  try {
    const joining = joinSession(exchange)
    if (!(joining instanceof Promise)) return serve()
    return joining.then(serve, (error) => refuseInSession(error, request, exchange, eras))
  } catch (error) {
    return refuseInSession(error, request, exchange, eras)
  }
}

function refuseInSession(
  error: unknown,
  request: RpcRequest | null,
  exchange: Exchange,
  eras: Eras,
): Answer | Promise<Answer> {
  const { legacy } = eras
  if (request === null || !(error instanceof ProtocolError)) return refuse(error, legacy)
  return refuseRequest(request, error, exchange, legacy, eras)
}

function acceptOrRefuse(era: Era, receive: () => void | Promise<void>): Answer | Promise<Answer> {
  try {
    const receiving = receive()
    if (!(receiving instanceof Promise)) return accepted
    return receiving.then(
      () => accepted,
      (error) => refuse(error, era),
    )
  } catch (error) {
    return refuse(error, era)
  }
}

function refuse(error: unknown, era: Era): Answer {
  if (error instanceof ProtocolError) return errorAnswer(undefined, error, era)
  throw error
}

function announcesModern({ headers }: Exchange): boolean {
  const version = headers?.['mcp-protocol-version']
  return version !== undefined && findRevision(String(version))?.era === 'modern'
}
