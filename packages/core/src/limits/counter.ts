import type { Logger } from 'pino'
import { tryLog } from '../errors/log-failure.js'
import { MessageTooLarge, ProtocolError } from '../errors/protocol-error.js'

export interface Counter {
  count: number
}

export class OversizedMessages implements Counter {
  count = 0

  addIfTooLarge(error: unknown): void {
    if (error instanceof MessageTooLarge) this.count++
  }
}

/** The error that replaces a result above its limit: a truncated result could mislead the model. */
export class OversizedResult extends ProtocolError {
  override readonly name = 'OversizedResult'
}

/**
 * Counts and logs a result that exceeds its limit.
 *
 * @param what The feature, for messages: `Prompt 'greet'`.
 * @param message Message for the client.
 */
export function rejectOversized(
  what: string,
  maxResultBytes: number,
  { oversizedResults, log }: { readonly oversizedResults: Counter; readonly log: Logger },
  message = `${what} returned more than ${maxResultBytes} bytes. Ask for less`,
): OversizedResult {
  oversizedResults.count++
  tryLog(() => log.warn({ maxResultBytes }, `${what} returned more than the limit`))
  return new OversizedResult('internalError', message)
}
