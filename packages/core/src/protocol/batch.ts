import { MessageTooLarge, ProtocolError } from '../errors/protocol-error.js'
import { requireNoPromise } from '../errors/run-fenced.js'
import { rejectOversized } from '../limits/counter.js'
import { isJsonObject, type RpcMessage, readMessage } from '../rpc/messages.js'
import { Pace } from '../timing/pace.js'
import { isSliceOver, nextSlice } from '../timing/time-slice.js'
import { type Answer, accepted, cancelled, errorAnswer, failExchange } from './answer.js'
import { Exchange, type TransportHooks } from './exchange.js'
import { joinSession, namesSession, revisionOf } from './legacy/era.js'
import { claimsModern } from './modern/read-request.js'
import { type Eras, receiveMessage } from './receive.js'

/**
 * Number of parts of a batch that start immediately. More parts wait, because many results of the maximum size would fill the
 * memory.
 */
const partsAtOnce = 4

interface Part {
  readonly answer: Answer
  readonly isWanted: boolean
}

/**
 * Serves a JSON-RPC batch, and responds with one array. Only revision 2025-03-26 has batches; an extension can accept batches in
 * other legacy revisions.
 */
export async function receiveBatch(messages: readonly unknown[], exchange: Exchange, eras: Eras): Promise<void> {
  try {
    exchange.respond(await answerBatch(messages, exchange, eras))
  } catch (error) {
    failExchange(error, exchange)
  }
}

async function answerBatch(messages: readonly unknown[], exchange: Exchange, eras: Eras): Promise<Answer> {
  try {
    if (namesSession(exchange)) await joinSession(exchange, eras.sessions)
    checkBatch(messages, exchange, eras)
  } catch (error) {
    eras.oversizedMessages.addIfTooLarge(error)
    if (error instanceof ProtocolError) return errorAnswer(undefined, error, eras.modern)
    throw error
  }
  const parts = await receiveAll(messages, exchange, eras)
  if (parts === null) {
    const { maxResultBytes, oversizedResults } = eras
    const message = `The responses of the batch exceed ${maxResultBytes} bytes together. Send its messages one by one`
    const error = rejectOversized('A batch', maxResultBytes, { oversizedResults, log: exchange.sender.log }, message)
    return errorAnswer(undefined, error, eras.modern)
  }
  const bodies = parts
    .filter(({ isWanted }) => isWanted)
    .map(({ answer }) => answer.body)
    .filter((body) => body !== null)
  // Errors for notifications and responses have no id. The array omits these errors, because clients that validate each part
  // would reject the whole batch.
  if (bodies.length === 0 && parts.some(({ isWanted }) => isWanted)) return cancelled
  if (bodies.length === 0) return parts.find(({ answer }) => answer.body !== null)?.answer ?? accepted
  // Status 404: the session of the batch has ended.
  const status = parts.some(({ answer }) => answer.status === 404) ? 404 : 200
  return { status, body: `[${bodies.join(',')}]` }
}

class BatchPart extends Exchange implements TransportHooks {
  constructor(
    private readonly batch: Exchange,
    message: unknown,
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    const { headers, sender, peer } = batch
    super({ message, headers, sender, peer })
    this.canNotify = batch.canNotify
    this.hooks = this
  }

  protected sendAnswer(answer: Answer): void {
    this.resolve(answer)
  }

  send(json: string): void {
    if (!this.batch.isAnswered) this.batch.send(json)
  }

  cutStream(): void {
    if (!this.batch.isAnswered) this.batch.hooks?.cutStream?.()
  }

  crash(error: unknown): void {
    this.reject(error)
  }

  started(): void {
    this.batch.hooks?.started?.()
  }

  override get address(): string | null {
    return this.batch.address
  }
}

function wantsAnswer({ kind }: RpcMessage): boolean {
  return kind !== 'notification' && kind !== 'response'
}

/**
 * Serves the parts in parallel. A large batch is started over several turns of the event loop, so that it does not block other
 * clients.
 *
 * @returns `null` if the responses together exceed the limit. In this case, the remaining parts are not started, and all
 * responses are dropped.
 */
async function receiveAll(
  messages: readonly unknown[],
  exchange: Exchange,
  eras: Eras,
): Promise<readonly Part[] | null> {
  const parts: Part[] = []
  const running: Promise<void>[] = []
  const pace = new Pace(partsAtOnce)
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
      receiveMessage(message, new BatchPart(exchange, messages[index], end, reject), eras)
    })
    pace.started()
    running.push(answered.finally(() => pace.ended()))
  }
  for (let index = 0; index < messages.length && !isTooLong(); index++) {
    begin(index)
    // oxlint-disable-next-line no-await-in-loop
    await pace.next()
    // oxlint-disable-next-line no-await-in-loop
    if (isSliceOver()) await nextSlice()
  }
  await Promise.all(running)
  return isTooLong() ? null : parts
}

function checkBatch(messages: readonly unknown[], exchange: Exchange, eras: Eras): void {
  const { maxBatch, revisions, extensions } = eras
  const isAccepted =
    !holdsModern(messages) &&
    (revisionOf(exchange, revisions).batches ||
      extensions.some(
        ({ id, acceptsBatch }) => requireNoPromise(acceptsBatch?.(exchange), `acceptsBatch of '${id}'`) === true,
      ))
  if (!isAccepted) throw invalid('this protocol version does not support batches')
  if (messages.length === 0) throw invalid('a batch must not be empty')
  if (messages.length > maxBatch)
    throw new MessageTooLarge(`Invalid Request: a batch must have at most ${maxBatch} messages`)
  const initializes = messages.some((message) => isJsonObject(message) && message['method'] === 'initialize')
  if (initializes) throw invalid('"initialize" must not be in a batch')
}

function holdsModern(messages: readonly unknown[]): boolean {
  return messages.some(
    (message) => isJsonObject(message) && isJsonObject(message['params']) && claimsModern(message['params']),
  )
}

function invalid(reason: string): ProtocolError {
  return new ProtocolError('invalidRequest', `Invalid Request: ${reason}`)
}
