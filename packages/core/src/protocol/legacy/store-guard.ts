import type { Logger } from 'pino'
import { LimitError } from '../../errors/limit-error.js'
import { logFailure } from '../../errors/log-failure.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { isPromiseLike, within } from '../../timing/within.js'

/** Keeps what goes wrong in a store away from clients: they hear that they may try again, in time. */
export class StoreGuard {
  #hasFailed = false

  constructor(
    /** Named in the log. */
    private readonly what: string,
    private readonly timeoutMs: number,
    private readonly log: Logger,
  ) {}

  /**
   * What the store answers: at once, where it does.
   *
   * @throws LimitError (503) when it fails or takes too long; what the caller's own code throws in it, as it is.
   */
  ask<Answer, Result>(
    call: () => Answer | Promise<Answer>,
    read: (answer: Answer) => Result,
  ): Result | Promise<Result> {
    try {
      const answer = call()
      if (isPromiseLike(answer)) return this.#wait(answer, read)
      const result = read(answer)
      this.#succeeded()
      return result
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  async #wait<Answer, Result>(answer: PromiseLike<Answer>, read: (answer: Answer) => Result): Promise<Result> {
    try {
      const result = read(await within(answer, this.timeoutMs))
      this.#succeeded()
      return result
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  /** One line for an outage: requests that come meanwhile are no news. */
  #refusal(error: unknown): unknown {
    if (error instanceof ProtocolError) return error
    if (!this.#hasFailed) logFailure(this.log, error, {}, `${this.what} fails: clients are told to try again`)
    this.#hasFailed = true
    return new LimitError('unavailable', 'Sessions are not available at present')
  }

  #succeeded(): void {
    if (this.#hasFailed) this.log.info(`${this.what} answers again`)
    this.#hasFailed = false
  }
}
