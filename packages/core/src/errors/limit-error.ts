import { acceptOtherCopies } from '../copies/copies.js'
import { longestTimer } from '../timing/long-timer.js'
import { ProtocolError } from './protocol-error.js'

/** The server has reached a limit: HTTP status 503, or 429 when only this caller has reached its limit. */
export class LimitError extends ProtocolError {
  override readonly name: string = 'LimitError'

  /** Milliseconds until a retry can succeed; `undefined` when unknown. */
  readonly retryAfterMs: number | undefined

  /**
   * @param retryAfterMs Milliseconds until a retry can succeed. Over HTTP, this time is sent as the header `Retry-After`, in
   * whole seconds. An invalid value, such as `NaN` or `Infinity`, is not sent.
   */
  constructor(kind: 'unavailable' | 'rateLimited', message: string, retryAfterMs = 1000) {
    const isKnown = Number.isFinite(retryAfterMs) && retryAfterMs >= 0 && retryAfterMs <= longestTimer
    const advice = isKnown ? `. Try again in ${Math.ceil(retryAfterMs / 1000)} s` : ''
    super(kind, message + advice, isKnown ? { retryAfterMs: Math.ceil(retryAfterMs) } : undefined)
    this.retryAfterMs = isKnown ? retryAfterMs : undefined
  }
}
acceptOtherCopies(LimitError, 'LimitError')

/** Thrown by a store when a change would exceed a limit of the store. Any other error of a store counts as a failure. */
export class StoreFull extends Error {
  override readonly name: string = 'StoreFull'
}
acceptOtherCopies(StoreFull, 'StoreFull')
