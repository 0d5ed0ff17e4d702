import { ProtocolError } from '../errors/protocol-error.js'
import { type RpcNotification, type RpcRequest, type RpcResponse, readMessage } from '../rpc/messages.js'
import type { Era } from './era.js'
import { type Answer, accepted, type Exchange } from './exchange.js'
import { peerOf, revisionOf } from './legacy/legacy-era.js'
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
  if (!announcesModern(exchange)) return runRequest(request, exchange, legacy, eras)
  const error = isHandshake
    ? new ProtocolError('headerMismatch', 'Header mismatch: MCP-Protocol-Version names a version without initialize')
    : missingMeta(request.params)
  return errorAnswer(request.id, error, modern)
}

function receiveNotification(notification: RpcNotification, exchange: Exchange, { legacy, modern }: Eras): Answer {
  const era = claimsModern(notification.params) || announcesModern(exchange) ? modern : legacy
  return acceptOrRefuse(era, () => era.receiveNotification(notification, exchange))
}

/** Responses are legacy: a modern server sends its clients no requests. */
function receiveResponse(response: RpcResponse, exchange: Exchange, { legacy }: Eras): Answer {
  return acceptOrRefuse(legacy, () => {
    const peer = peerOf(exchange)
    revisionOf(exchange, peer)
    peer?.questions.receive(response)
  })
}

function acceptOrRefuse(era: Era, receive: () => unknown): Answer {
  try {
    receive()
    return accepted
  } catch (error) {
    if (error instanceof ProtocolError) return errorAnswer(undefined, error, era)
    throw error
  }
}

function announcesModern({ headers }: Exchange): boolean {
  const version = headers?.['mcp-protocol-version']
  return version !== undefined && findRevision(String(version))?.era === 'modern'
}
