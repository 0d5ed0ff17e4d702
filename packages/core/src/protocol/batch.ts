import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageTooLarge, ProtocolError } from '../errors/protocol-error.js'
import { isJsonObject, type RpcMessage, readMessage } from '../rpc/messages.js'
import { type Answer, accepted, cancelled, type Exchange } from './exchange.js'
import { joinSession, namesSession, peerOf, revisionOf } from './legacy/legacy-era.js'
import { claimsModern } from './modern/request-meta.js'
import type { Peer } from './peer.js'
import { type Eras, receiveRead } from './receive-message.js'
import { errorAnswer } from './run-request.js'

/** Milliseconds in which messages are begun in one turn of the event loop. One message may take longer. */
const turnMs = 10

interface Part {
  readonly answer: Answer
  /** Whether the message was to be answered at all. */
  readonly isWanted: boolean
}

/** Serves a JSON-RPC batch, which only 2025-03-26 has. The answers come together, in one array. */
export async function receiveBatch(messages: readonly unknown[], exchange: Exchange, eras: Eras): Promise<Answer> {
  let peer: Peer | null
  try {
    if (namesSession(exchange)) await joinSession(exchange)
    peer = openBatch(messages, exchange, eras.maxBatch)
  } catch (error) {
    eras.oversizedMessages.addIfTooLarge(error)
    if (error instanceof ProtocolError) return errorAnswer(undefined, error, eras.modern)
    throw error
  }
  const parts = await receiveAll(messages, exchange, peer, eras)
  exchange.answered()
  const bodies = parts
    .filter(({ isWanted }) => isWanted)
    .map(({ answer }) => answer.body)
    .filter((body) => body !== null)
  if (bodies.length === 0 && parts.some(({ isWanted }) => isWanted)) return cancelled
  // What nobody was to answer may still have been refused. Beside results that is kept back: without an id it is no part of
  // a batch, and clients that check each part would refuse them all.
  if (bodies.length === 0) return parts.find(({ answer }) => answer.body !== null)?.answer ?? accepted
  const length = bodies.reduce((sum, body) => sum + body.length, 0)
  // The session of the batch ended.
  const status = parts.some(({ answer }) => answer.status === 404) ? 404 : 200
  if (length <= eras.maxResultBytes) return { status, body: `[${bodies.join(',')}]` }
  eras.oversizedResults.count++
  const message = `The answers of the batch have more than ${eras.maxResultBytes} bytes together. Send its messages one by one`
  return errorAnswer(undefined, new ProtocolError('internalError', message), eras.modern)
}

function wantsAnswer({ kind }: RpcMessage): boolean {
  return kind !== 'notification' && kind !== 'response'
}

/** All at once, but begun in several turns where that takes long: a batch must not hold up everybody else. */
async function receiveAll(
  messages: readonly unknown[],
  exchange: Exchange,
  peer: Peer | null,
  eras: Eras,
): Promise<readonly Part[]> {
  const end = performance.now() + turnMs
  const begun: Promise<Part>[] = []
  const begin = async (part: unknown): Promise<Part> => {
    const message = readMessage(part)
    const answer = await receiveRead(message, exchange.part(part, peer), eras)
    return { answer, isWanted: wantsAnswer(message) }
  }
  while (begun.length < messages.length && performance.now() < end) begun.push(begin(messages[begun.length]))
  const rest = messages.slice(begun.length)
  const later = rest.length === 0 ? [] : nextTurn().then(() => receiveAll(rest, exchange, peer, eras))
  const [first, others] = await Promise.all([Promise.all(begun), later])
  return [...first, ...others]
}

/**
 * Who sent the batch.
 *
 * @throws ProtocolError for a batch that is not served as a whole.
 */
function openBatch(messages: readonly unknown[], exchange: Exchange, maxBatch: number): Peer | null {
  if (holdsModern(messages)) throw invalid('this protocol version has no batches')
  const peer = peerOf(exchange)
  if (!revisionOf(exchange, peer).batches) throw invalid('this protocol version has no batches')
  if (messages.length === 0) throw invalid('a batch must not be empty')
  if (messages.length > maxBatch) throw new MessageTooLarge(`Invalid Request: a batch has at most ${maxBatch} messages`)
  const initializes = messages.some((message) => isJsonObject(message) && message['method'] === 'initialize')
  if (initializes) throw invalid('"initialize" must not be in a batch')
  return peer
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
