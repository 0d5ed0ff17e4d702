import { LimitError } from '../errors/limit-error.js'
import { type ErrorLog, logFailure, tryLog } from '../errors/log-failure.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { TaskStoreFull } from '../tasks/task-store.js'
import { isPromiseLike, withTimeout } from '../timing/with-timeout.js'
import type { Counter } from './counter.js'

/** What the guards of one server share. */
export interface StoreClientInit {
  /** Milliseconds that a store has for each answer. */
  readonly timeoutMs: number
  /** Counts what failed or was late. */
  readonly failures: Counter
  readonly log: ErrorLog & { info(message: string): void }
}

/** Milliseconds from one outage of a store that the log is told of to the next. */
const quietMs = 10_000

/**
 * Keeps what goes wrong in a store away from clients: they hear that they may try again, in time. The log hears of an
 * outage twice, when it begins and when it is over; of a store that fails and answers in turn, now and then.
 */
export class StoreClient {
  /** Whether the log was told that it fails, and not yet that it answers again. */
  #isTold = false
  #toldAt = Number.NEGATIVE_INFINITY

  /**
   * @param what Fails, for the log.
   * @param refusal For clients, without its full stop.
   */
  constructor(
    private readonly what: string,
    private readonly refusal: string,
    private readonly init: StoreClientInit,
  ) {}

  /**
   * What the store answers: at once, where it does.
   *
   * @param read Makes of the answer what is wanted, or throws where it is none.
   * @throws LimitError (503) when it fails or takes too long; what the caller's own code throws in it, as it is.
   */
  ask<Answer, Result>(
    call: () => Answer | PromiseLike<Answer>,
    read: (answer: Answer) => Result,
  ): Result | Promise<Result> {
    try {
      const answer = call()
      if (isPromiseLike(answer)) return this.#wait(answer, read)
      const result = read(answer)
      if (this.#isTold) this.#tellOfEnd()
      return result
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  async #wait<Answer, Result>(answer: PromiseLike<Answer>, read: (answer: Answer) => Result): Promise<Result> {
    try {
      const result = read(await withTimeout(answer, this.init.timeoutMs))
      if (this.#isTold) this.#tellOfEnd()
      return result
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  #refusal(error: unknown): unknown {
    if (error instanceof ProtocolError || error instanceof TaskStoreFull) return error
    this.init.failures.count++
    const now = performance.now()
    if (!this.#isTold && now - this.#toldAt >= quietMs) this.#tellOf(error, now)
    return new LimitError('unavailable', this.refusal)
  }

  #tellOf(error: unknown, now: number): void {
    this.#isTold = true
    this.#toldAt = now
    logFailure(this.init.log, error, {}, `${this.what} fails: clients are told to try again`)
  }

  #tellOfEnd(): void {
    this.#isTold = false
    tryLog(() => this.init.log.info(`${this.what} answers again`))
  }
}
