import { ProtocolError } from '../errors/protocol-error.js'
import {
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  readMessage,
} from '../rpc/messages.js'
import type { Era } from './era.js'
import { type Answer, accepted, type Exchange } from './exchange.js'
import { joinSession, namesSession, peerOf, revisionOf } from './legacy/legacy-era.js'
import { claimsModern, claimsServedVersion, missingMeta } from './modern/request-meta.js'
import { findRevision } from './revisions.js'
import { errorAnswer, type RequestRules, runRequest } from './run-request.js'

export interface Eras extends RequestRules {
  readonly legacy: Era
  readonly modern: Era
  /** At most so many messages in a batch. */
  readonly maxBatch: number
  /** Bytes that the answers of a batch may have together. */
  readonly maxResultBytes: number
}

/** Serves a message that is not a batch. */
export function receiveMessage(exchange: Exchange, eras: Eras): Answer | Promise<Answer> {
  const message = readMessage(exchange.message)
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
    return inSession(request.id, exchange, legacy, () => runRequest(request, exchange, legacy, eras))
  }
  const error = isHandshake
    ? new ProtocolError('headerMismatch', 'Header mismatch: MCP-Protocol-Version names a version without initialize')
    : missingMeta(request.params)
  return errorAnswer(request.id, error, modern)
}

function receiveNotification(
  notification: RpcNotification,
  exchange: Exchange,
  { legacy, modern }: Eras,
): Answer | Promise<Answer> {
  const isModern = claimsModern(notification.params) || announcesModern(exchange)
  const era = isModern ? modern : legacy
  const receive = (): Answer | Promise<Answer> =>
    acceptOrRefuse(era, () => era.receiveNotification(notification, exchange))
  return isModern || !namesSession(exchange) ? receive() : inSession(undefined, exchange, legacy, receive)
}

/** Responses are legacy: a modern server sends its clients no requests. */
function receiveResponse(response: RpcResponse, exchange: Exchange, { legacy }: Eras): Answer | Promise<Answer> {
  const receive = (): Answer | Promise<Answer> =>
    acceptOrRefuse(legacy, () => {
      const peer = peerOf(exchange)
      revisionOf(exchange, peer)
      peer?.questions.receive(response)
    })
  return namesSession(exchange) ? inSession(undefined, exchange, legacy, receive) : receive()
}

/** Serves a legacy message that names a session, once that is found: at once, where the store answers at once. */
function inSession(
  id: RequestId | undefined,
  exchange: Exchange,
  legacy: Era,
  serve: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  try {
    const joining = joinSession(exchange)
    if (!(joining instanceof Promise)) return serve()
    const serveLater = (): Answer | Promise<Answer> => {
      const answer = serve()
      if (answer instanceof Promise) exchange.beganLater()
      return answer
    }
    return joining.then(serveLater, (error) => refuse(error, id, legacy))
  } catch (error) {
    return refuse(error, id, legacy)
  }
}

function acceptOrRefuse(era: Era, receive: () => void | Promise<void>): Answer | Promise<Answer> {
  try {
    const receiving = receive()
    if (!(receiving instanceof Promise)) return accepted
    return receiving.then(
      () => accepted,
      (error) => refuse(error, undefined, era),
    )
  } catch (error) {
    return refuse(error, undefined, era)
  }
}

function refuse(error: unknown, id: RequestId | undefined, era: Era): Answer {
  if (error instanceof ProtocolError) return errorAnswer(id, error, era)
  throw error
}

function announcesModern({ headers }: Exchange): boolean {
  const version = headers?.['mcp-protocol-version']
  return version !== undefined && findRevision(String(version))?.era === 'modern'
}
