import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventStore } from './event-store.js'
import type { LateAnswers } from './late-answers.js'

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

/** The sending end of a stream. */
export class StreamWriter {
  /** One after the other: the order of the store is the order on the wire. */
  #written: Promise<void> = Promise.resolve()
  #waiting = 0
  #sinceTurn = 0
  /** Whether anything of it was kept. */
  #hasBegun = false

  constructor(
    private readonly streams: Streams,
    private readonly init: StreamWriterInit,
    private readonly streamId: string,
  ) {}

  /** Resolves, never rejects, when everything up to this message is kept. */
  send(message: string | null, isLast = false): Promise<void> {
    const length = message?.length ?? 0
    // A store that cannot keep up must not fill the memory. The answer is one message, and the one that is waited for.
    if (this.#waiting > this.init.maxWaiting && !isLast) return this.#written
    this.#waiting += eventLength + length
    this.#written = this.#writeAfter(this.#written, message, isLast)
    return this.#written
  }

  /** Resolves when everything that was sent is kept. */
  get written(): Promise<void> {
    return this.#written
  }

  async #writeAfter(before: Promise<void>, message: string | null, isLast: boolean): Promise<void> {
    await before
    const length = eventLength + (message?.length ?? 0)
    await this.#takeTurns(length)
    await this.#append(message, isLast)
    this.#waiting -= length
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
    await nextTurn()
  }

  async #append(message: string | null, isLast: boolean): Promise<void> {
    try {
      await this.#keep(message, isLast)
      this.#hasBegun = true
    } catch (error) {
      // The store has told the log.
      this.streams.fail(this.streamId, error as Error)
      // Without an event before it there is no place that a client could come back from.
      if (isLast && this.#hasBegun) await this.#keepLate(message)
    }
  }

  /** Apart, so that an event that is kept at once makes nothing for this. */
  #keepLate(answer: string | null): Promise<void> {
    return this.init.lateAnswers.keep(answer, () => this.#keep(answer, true))
  }

  #keep(message: string | null, isLast: boolean): Promise<void> {
    const { store, sessionId, caller } = this.init
    // What ends after its session would bring back what was forgotten.
    if (this.streams.isClosed) return Promise.resolve()
    return store.append({ sessionId, streamId: this.streamId }, message, isLast, caller)
  }
}
