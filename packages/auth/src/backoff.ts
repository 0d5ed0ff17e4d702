import { LimitError } from '@toolwright/core'
import { FetchError } from './fetch-json.js'

/** First wait in milliseconds after a failed fetch of a value that is needed now. The wait doubles with each failure. */
const firstWaitMs = 1000

export class Backoff {
  #failures = 0
  #nextAt = -Infinity

  get waitMs(): number {
    return Math.max(0, this.#nextAt - performance.now())
  }

  /** Delays the next request, but never shortens a wait that the issuer demanded. */
  failed(error: unknown, waitMs: number): void {
    this.#failures++
    const retryAfterMs = error instanceof FetchError ? error.retryAfterMs : 0
    this.#nextAt = Math.max(this.#nextAt, performance.now() + Math.max(waitMs, retryAfterMs))
  }

  doubledMs(maxMs: number): number {
    return Math.min(maxMs, firstWaitMs * 2 ** Math.min(this.#failures, 20))
  }

  succeeded(): void {
    this.#failures = 0
    this.#nextAt = -Infinity
  }

  /**
   * Creates the error of credentials that could not be checked: 503 instead of 401, because the credentials may be valid.
   *
   * @param cause Cause for the log. The cause must not contain a response of the issuer, which could repeat the token.
   */
  unavailable(cause: unknown): LimitError {
    const retryAfterMs = Math.max(firstWaitMs, this.waitMs)
    const error = new LimitError('unavailable', 'Token verification is temporarily unavailable', retryAfterMs)
    error.cause = cause
    return error
  }
}
