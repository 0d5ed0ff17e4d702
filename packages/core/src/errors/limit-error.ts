import { acceptOtherCopies } from '../copies/copies.js'
import { ProtocolError } from './protocol-error.js'

/** The server takes no more at present: HTTP status 503, or 429 where only this caller is over its limit. */
export class LimitError extends ProtocolError {
  override readonly name: string = 'LimitError'

  /** @param retryAfterMs After how long it is worth another try. Over HTTP it is the header `Retry-After`, in whole seconds. */
  constructor(
    kind: 'unavailable' | 'rateLimited',
    message: string,
    readonly retryAfterMs: number = 1000,
  ) {
    super(kind, `${message}. Try again in ${Math.ceil(retryAfterMs / 1000)} s`, {
      retryAfterMs: Math.ceil(retryAfterMs),
    })
  }
}
acceptOtherCopies(LimitError, 'LimitError')
