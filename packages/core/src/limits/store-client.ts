import { LimitError, StoreFull } from '../errors/limit-error.js'
import { type ErrorLog, logFailure, tryLog } from '../errors/log-failure.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { MaybePromise } from '../timing/maybe-promise.js'
import { isPromiseLike, withTimeout } from '../timing/with-timeout.js'
import type { Counter } from './counter.js'

export interface StoreClientInit {
  readonly timeoutMs: number
  readonly failures: Counter
  readonly log: ErrorLog & { info(message: string): void }
}

const quietMs = 10_000

/**
 * Calls a store. If the store fails or times out, the client gets an error that asks for a retry, and does not contain the
 * store's message. Logs the start and the end of an outage, and at most one outage in 10 seconds.
 */
export class StoreClient {
  #isFailureLogged = false
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly what: string,
    private readonly rejection: string,
    private readonly init: StoreClientInit,
  ) {}

  /**
   * Calls the store and returns its answer, synchronously if the store answers synchronously.
   *
   * @param read Converts the answer, or throws if it is invalid.
   * @throws LimitError (503) when the store fails or times out. A ProtocolError or StoreFull is rethrown unchanged.
   */
  ask<Answer, Result>(
    call: () => Answer | PromiseLike<Answer>,
    read: (answer: Answer) => Result,
  ): MaybePromise<Result> {
    try {
      const answer = call()
      if (isPromiseLike(answer)) return this.#wait(answer, read)
      const result = read(answer)
      if (this.#isFailureLogged) this.#logRecovery()
      return result
    } catch (error) {
      throw this.#rejection(error)
    }
  }

  /**
   * Calls the store without waiting for its answer. An error is only logged: the next request detects the failure.
   *
   * @returns `null` if the store has answered synchronously.
   */
  start(call: () => unknown): Promise<void> | null {
    try {
      const asked = this.ask(call, () => undefined)
      return asked instanceof Promise ? asked.catch(() => undefined) : null
    } catch {
      return null
    }
  }

  async #wait<Answer, Result>(answer: PromiseLike<Answer>, read: (answer: Answer) => Result): Promise<Result> {
    try {
      const result = read(await withTimeout(answer, this.init.timeoutMs))
      if (this.#isFailureLogged) this.#logRecovery()
      return result
    } catch (error) {
      throw this.#rejection(error)
    }
  }

  #rejection(error: unknown): unknown {
    if (error instanceof ProtocolError || error instanceof StoreFull) return error
    this.init.failures.count++
    const now = performance.now()
    if (!this.#isFailureLogged && now - this.#loggedAt >= quietMs) this.#logFailure(error, now)
    return new LimitError('unavailable', this.rejection)
  }

  #logFailure(error: unknown, now: number): void {
    this.#isFailureLogged = true
    this.#loggedAt = now
    logFailure(this.init.log, error, {}, `${this.what} fails: clients are asked to retry`)
  }

  #logRecovery(): void {
    this.#isFailureLogged = false
    tryLog(() => this.init.log.info(`${this.what} has recovered`))
  }
}

/**
 * Ignores the result of a store operation. The {@link StoreClient} has logged an error, and the next request detects the failure.
 */
export function inBackground(operation: Promise<unknown>): void {
  operation.catch(() => undefined)
}
