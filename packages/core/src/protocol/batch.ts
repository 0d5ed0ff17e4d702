import { setImmediate as deferred } from 'node:timers/promises'
import { MessageTooLarge, ProtocolError } from '../errors/protocol-error.js'
import { isJsonObject, type RpcMessage, readMessage } from '../rpc/messages.js'
import { Pace } from '../timing/pace.js'
import { type Answer, accepted, cancelled, Exchange } from './exchange.js'
import { joinSession, namesSession, peerOf, revisionOf } from './legacy/era.js'
import { claimsModern } from './modern/read-request.js'
import type { Peer } from './peer.js'
import { type Eras, receiveRead } from './receive.js'
import { errorAnswer } from './request-call.js'

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
export async function receiveBatch(messages: readonly unknown[], exchange: Exchange, eras: Eras): Promise<void> {
  try {
    exchange.answer(await answerBatch(messages, exchange, eras))
  } catch (error) {
    exchange.crash(error)
  }
}

async function answerBatch(messages: readonly unknown[], exchange: Exchange, eras: Eras): Promise<Answer> {
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
  if (parts === null) {
    eras.oversizedResults.count++
    const message = `The answers of the batch have more than ${eras.maxResultBytes} bytes together. Send its messages one by one`
    return errorAnswer(undefined, new ProtocolError('internalError', message), eras.modern)
  }
  const bodies = parts
    .filter(({ isWanted }) => isWanted)
    .map(({ answer }) => answer.body)
    .filter((body) => body !== null)
  // What nobody was to answer may still have been refused. Beside results that is kept back: without an id it is no part of
  // a batch, and clients that check each part would refuse them all.
  if (bodies.length === 0 && parts.some(({ isWanted }) => isWanted)) return cancelled
  if (bodies.length === 0) return parts.find(({ answer }) => answer.body !== null)?.answer ?? accepted
  // The session of the batch ended.
  const status = parts.some(({ answer }) => answer.status === 404) ? 404 : 200
  return { status, body: `[${bodies.join(',')}]` }
}

/** One message of a batch. */
class BatchPart extends Exchange {
  constructor(
    private readonly batch: Exchange,
    message: unknown,
    peer: Peer | null,
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    const { headers, contextHeaders, principal, log } = batch
    super({ message, headers, contextHeaders: contextHeaders ?? undefined, principal, log, peer })
    this.canNotify = batch.canNotify
  }

  protected sendAnswer(answer: Answer): void {
    this.resolve(answer)
  }

  protected sendMessage(json: string): void {
    this.batch.notify(json)
  }

  protected override cutStream(): void {
    this.batch.closeStream()
  }

  crash(error: unknown): void {
    this.reject(error)
  }

  override started(): void {
    this.batch.started()
  }

  override get address(): string | null {
    return this.batch.address
  }
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
    const answered = new Promise<void>((resolve, reject) => {
      const end = (answer: Answer): void => {
        keep(index, { answer, isWanted })
        resolve()
      }
      receiveRead(message, new BatchPart(exchange, messages[index], peer, end, reject), eras)
    })
    pace.started()
    running.push(answered.finally(() => pace.ended()))
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
