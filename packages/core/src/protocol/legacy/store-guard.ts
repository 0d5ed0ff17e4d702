import type { Logger } from 'pino'
import { LimitError } from '../../errors/limit-error.js'
import { Outage } from '../../errors/outage.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { isPromiseLike, within } from '../../timing/within.js'

/** Keeps what goes wrong in a store away from clients: they hear that they may try again, in time. */
export class StoreGuard {
  readonly #outage: Outage

  /** @param what Named in the log. */
  constructor(
    what: string,
    private readonly timeoutMs: number,
    log: Logger,
  ) {
    this.#outage = new Outage(what, 'clients are told to try again', log)
  }

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
      this.#outage.end()
      return result
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  async #wait<Answer, Result>(answer: PromiseLike<Answer>, read: (answer: Answer) => Result): Promise<Result> {
    try {
      const result = read(await within(answer, this.timeoutMs))
      this.#outage.end()
      return result
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  #refusal(error: unknown): unknown {
    if (error instanceof ProtocolError) return error
    this.#outage.begin(error)
    return new LimitError('unavailable', 'Sessions are not available at present')
  }
}
