import { ProtocolError } from '../errors/protocol-error.js'
import { isJsonObject } from '../rpc/messages.js'
import { type Answer, accepted, type Exchange } from './exchange.js'
import { peerOf, revisionOf } from './legacy/legacy-era.js'
import { claimsModern } from './modern/request-meta.js'
import { type Eras, receiveMessage } from './receive-message.js'
import { errorAnswer } from './run-request.js'

/** Serves a JSON-RPC batch, which only 2025-03-26 has. The answers come together, in one array. */
export async function receiveBatch(messages: readonly unknown[], exchange: Exchange, eras: Eras): Promise<Answer> {
  const error = refuse(messages, exchange, eras.maxBatch)
  if (error !== null) return errorAnswer(undefined, error, eras.modern)
  const answers = await Promise.all(messages.map((message) => receiveMessage(exchange.part(message), eras)))
  exchange.answered()
  const bodies = answers.map(({ body }) => body).filter((body) => body !== null)
  return bodies.length === 0 ? accepted : { status: 200, body: `[${bodies.join(',')}]` }
}

function refuse(messages: readonly unknown[], exchange: Exchange, maxBatch: number): ProtocolError | null {
  if (holdsModern(messages) || !allowsBatches(exchange)) return invalid('this protocol version has no batches')
  if (messages.length === 0) return invalid('a batch is not empty')
  if (messages.length > maxBatch) return invalid(`a batch has at most ${maxBatch} messages`)
  const initializes = messages.some((message) => isJsonObject(message) && message['method'] === 'initialize')
  return initializes ? invalid('"initialize" is not part of a batch') : null
}

function allowsBatches(exchange: Exchange): boolean {
  try {
    return revisionOf(exchange, peerOf(exchange)).batches
  } catch {
    // A version header or a session that cannot be served at all.
    return false
  }
}

/** Whether any element of a batch claims to be modern, which no batch may hold. */
function holdsModern(messages: readonly unknown[]): boolean {
  return messages.some(
    (message) => isJsonObject(message) && isJsonObject(message['params']) && claimsModern(message['params']),
  )
}

function invalid(reason: string): ProtocolError {
  return new ProtocolError('invalidRequest', `Invalid Request: ${reason}`)
}
