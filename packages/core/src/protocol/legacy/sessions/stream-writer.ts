import { setImmediate as deferred } from 'node:timers/promises'
import type { LateAnswers } from '../cluster/late-answers.js'
import type { EventStore } from './event-store.js'

/** Characters after which readers get their turn. */
const burstLength = 16_384

/** What an event takes besides its message. */
const eventLength = 100

/** The session of a stream, as far as its writer needs it. */
export interface StreamWriterInit {
  readonly sessionId: string
  /** Whom events count for where all share. */
  readonly caller: string
  readonly store: EventStore
  readonly lateAnswers: LateAnswers
  /** Characters of one stream that may wait for the store. */
  readonly maxWaiting: number
}

interface Streams {
  readonly isClosed: boolean
  fail(streamId: string, error: Error): void
}

/** Messages that are kept together. */
interface Batch {
  readonly messages: (string | null)[]
  length: number
  isLast: boolean
}

/** The sending end of a stream. */
export class StreamWriter {
  /** One after the other: the order of the store is the order on the wire. */
  #written: Promise<void> = Promise.resolve()
  /** The messages that came last, as long as none of them was handed to the store. */
  #next: Batch | null = null
  #waiting = 0
  #sinceTurn = 0
  /** Whether anything of it was kept. */
  #hasStarted = false

  constructor(
    private readonly streams: Streams,
    private readonly init: StreamWriterInit,
    private readonly streamId: string,
  ) {}

  /** Resolves, never rejects, when everything up to this message is kept. */
  send(message: string | null, isLast = false): Promise<void> {
    const length = eventLength + (message?.length ?? 0)
    // A store that cannot keep up must not fill the memory. The answer is one message, and the one that is waited for.
    if (this.#waiting > this.init.maxWaiting && !isLast) return this.#written
    this.#waiting += length
    if (!this.#join(message, length, isLast)) {
      const batch: Batch = { messages: [message], length, isLast }
      this.#next = batch
      this.#written = this.#writeAfter(this.#written, batch)
    }
    return this.#written
  }

  /** Resolves when everything that was sent is kept. */
  get written(): Promise<void> {
    return this.#written
  }

  /** Adds a message to those that wait for the store: one round trip per message would slow down a call that reports often. */
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
   * What is sent in one burst would else drive out of the store what no reader could have seen. One large message after a
   * small one, such as an answer after the event that begins its stream, is such a burst.
   */
  async #takeTurns(length: number): Promise<void> {
    const isFirst = this.#sinceTurn === 0
    this.#sinceTurn += length
    if (isFirst || this.#sinceTurn < burstLength) return
    this.#sinceTurn = length
    await deferred()
  }

  async #append(batch: Batch): Promise<void> {
    try {
      await this.#keep(batch)
      this.#hasStarted = true
    } catch (error) {
      // The store has told the log.
      this.streams.fail(this.streamId, error as Error)
      // Without an event before it there is no place that a client could come back from.
      if (batch.isLast && this.#hasStarted) await this.#keepLate(batch.messages.at(-1) as string | null)
    }
  }

  /** Apart, so that an event that is kept at once makes nothing for this. */
  #keepLate(answer: string | null): Promise<void> {
    return this.init.lateAnswers.keep(answer, () => this.#keep({ messages: [answer], length: 0, isLast: true }))
  }

  #keep({ messages, isLast }: Batch): Promise<void> {
    const { store, sessionId, caller } = this.init
    // What ends after its session would bring back what was forgotten.
    if (this.streams.isClosed) return Promise.resolve()
    const key = { sessionId, streamId: this.streamId }
    if (messages.length === 1 || store.appendAll === undefined) {
      return store.append(key, messages[0] as string | null, isLast, caller)
    }
    return store.appendAll(key, messages, isLast, caller)
  }
}
