import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LateAnswers } from './cluster/late-answers.js'
import type { EventStore } from './event-store.js'
import type { SessionStreams } from './session-streams.js'

/** Number of characters after which the writer yields to readers. */
const burstLength = 16_384

/** Overhead of an event in characters, besides its message. */
const eventLength = 100

export interface StreamWriterInit {
  readonly sessionId: string
  readonly caller: string
  readonly store: EventStore
  readonly lateAnswers: LateAnswers
  readonly maxWaiting: number
}

interface Batch {
  readonly messages: (string | null)[]
  length: number
  isLast: boolean
}

export class StreamWriter {
  /** Settles after the last write. Writes run in sequence: their order in the store is their order on the wire. */
  #written: Promise<void> = Promise.resolve()
  #next: Batch | null = null
  #waiting = 0
  #sinceTurn = 0
  #hasStarted = false

  constructor(
    private readonly streams: SessionStreams,
    private readonly init: StreamWriterInit,
    private readonly streamId: string,
  ) {}

  /** Sends a message. The promise never rejects. It resolves when this message and all earlier messages are stored. */
  send(message: string | null, isLast = false): Promise<void> {
    const length = eventLength + (message?.length ?? 0)
    // If the store is too slow, messages are dropped: waiting messages would fill the memory. The response is never dropped: the
    // client waits for this single message.
    if (this.#waiting > this.init.maxWaiting && !isLast) return this.#written
    this.#waiting += length
    if (!this.#join(message, length, isLast)) {
      const batch: Batch = { messages: [message], length, isLast }
      this.#next = batch
      this.#written = this.#writeAfter(this.#written, batch)
    }
    return this.#written
  }

  get written(): Promise<void> {
    return this.#written
  }

  /** Adds a message to the waiting batch. A round trip per message would slow down calls that report progress often. */
  #join(message: string | null, length: number, isLast: boolean): boolean {
    const batch = this.#next
    if (batch === null || batch.isLast || this.init.store.appendAll === undefined) return false
    if (batch.length + length > burstLength) return false
    batch.messages.push(message)
    batch.length += length
    batch.isLast = isLast
    return true
  }

  async #writeAfter(before: Promise<void>, batch: Batch): Promise<void> {
    await before
    await this.#takeTurns(batch.length)
    if (this.#next === batch) this.#next = null
    await this.#append(batch)
    this.#waiting -= batch.length
  }

  /**
   * Yields to readers during a burst of events. Otherwise, the burst would evict unread events from the store. A large response
   * after the priming event is also treated as a burst.
   */
  async #takeTurns(length: number): Promise<void> {
    const isFirst = this.#sinceTurn === 0
    this.#sinceTurn += length
    if (isFirst || this.#sinceTurn < burstLength) return
    this.#sinceTurn = length
    await nextTurn()
  }

  async #append(batch: Batch): Promise<void> {
    try {
      await this.#keep(batch)
      this.#hasStarted = true
    } catch (error) {
      // The error need not be logged: the store client has logged it.
      this.streams.fail(this.streamId, error as Error)
      // Retries storing the answer only if an earlier event was stored: otherwise, the client has no position to resume from.
      if (batch.isLast && this.#hasStarted) await this.#keepLate(batch.messages.at(-1) as string | null)
    }
  }

  /** This method is separate, because a closure within `#append` would cause an allocation even for successful writes. */
  #keepLate(answer: string | null): Promise<void> {
    return this.init.lateAnswers.keep(answer, () => this.#keep({ messages: [answer], length: 0, isLast: true }))
  }

  #keep({ messages, isLast }: Batch): Promise<void> {
    const { store, sessionId, caller } = this.init
    // After the end of the session, nothing is stored: events would recreate the deleted streams.
    if (this.streams.isClosed) return Promise.resolve()
    const key = { sessionId, streamId: this.streamId }
    if (messages.length === 1 || store.appendAll === undefined) {
      return store.append(key, messages[0] as string | null, isLast, caller)
    }
    return store.appendAll(key, messages, isLast, caller)
  }
}
