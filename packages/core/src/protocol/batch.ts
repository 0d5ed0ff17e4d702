import { setImmediate as deferred } from 'node:timers/promises'
import { MessageTooLarge, ProtocolError } from '../errors/protocol-error.js'
import { isJsonObject, type RpcMessage, readMessage } from '../rpc/messages.js'
import { Pace } from '../timing/pace.js'
import { type Answer, accepted, cancelled, type Exchange } from './exchange.js'
import { joinSession, namesSession, peerOf, revisionOf } from './legacy/era.js'
import { claimsModern } from './modern/request-meta.js'
import type { Peer } from './peer.js'
import { type Eras, receiveRead } from './receive.js'
import { errorAnswer } from './run-request.js'

/** Milliseconds in which messages are begun in one turn of the event loop. One message may take longer. */
const turnMs = 10

/** Parts that begin without any wait. More than a few results of the largest size would fill the memory together. */
const partsAtOnce = 4

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
  if (parts === null) {
    eras.oversizedResults.count++
    const message = `The answers of the batch have more than ${eras.maxResultBytes} bytes together. Send its messages one by one`
    return errorAnswer(undefined, new ProtocolError('internalError', message), eras.modern)
  }
  const bodies = parts
    .filter(({ isWanted }) => isWanted)
    .map(({ answer }) => answer.body)
    .filter((body) => body !== null)
  if (bodies.length === 0 && parts.some(({ isWanted }) => isWanted)) return cancelled
  // What nobody was to answer may still have been refused. Beside results that is kept back: without an id it is no part of
  // a batch, and clients that check each part would refuse them all.
  if (bodies.length === 0) return parts.find(({ answer }) => answer.body !== null)?.answer ?? accepted
  // The session of the batch ended.
  const status = parts.some(({ answer }) => answer.status === 404) ? 404 : 200
  return { status, body: `[${bodies.join(',')}]` }
}

function wantsAnswer({ kind }: RpcMessage): boolean {
  return kind !== 'notification' && kind !== 'response'
}

/**
 * Serves the parts in parallel, but begins them in several turns where that takes long: a batch must not block other clients.
 *
 * @returns `null` when the answers are too long together. The parts that are left do not begin then, and no answer is kept.
 */
async function receiveAll(
  messages: readonly unknown[],
  exchange: Exchange,
  peer: Peer | null,
  eras: Eras,
): Promise<readonly Part[] | null> {
  const parts: Part[] = []
  const running: Promise<void>[] = []
  const pace = new Pace(Infinity, partsAtOnce)
  let length = 0
  const isTooLong = (): boolean => length > eras.maxResultBytes
  const keep = (index: number, part: Part): void => {
    if (part.isWanted) length += part.answer.body?.length ?? 0
    if (isTooLong()) parts.length = 0
    else parts[index] = part
  }
  const begin = (index: number): void => {
    const message = readMessage(messages[index])
    const isWanted = wantsAnswer(message)
    const answer = receiveRead(message, exchange.part(messages[index], peer), eras)
    if (!(answer instanceof Promise)) return keep(index, { answer, isWanted })
    pace.started()
    running.push(answer.then((done) => keep(index, { answer: done, isWanted })).finally(() => pace.ended()))
  }
  let end = performance.now() + turnMs
  for (let index = 0; index < messages.length && !isTooLong(); index++) {
    begin(index)
    // oxlint-disable-next-line no-await-in-loop
    await pace.next()
    if (performance.now() < end) continue
    // oxlint-disable-next-line no-await-in-loop
    await deferred()
    end = performance.now() + turnMs
  }
  await Promise.all(running)
  return isTooLong() ? null : parts
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
