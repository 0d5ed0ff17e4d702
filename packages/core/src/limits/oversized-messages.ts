import { MessageTooLarge } from '../errors/message-too-large.js'
import type { Tally } from './tally.js'

/** Messages that were refused since the start because they were over a limit. */
export class OversizedMessages implements Tally {
  count = 0

  /** For each message that is refused, whatever for. */
  addIfTooLarge(error: unknown): void {
    if (error instanceof MessageTooLarge) this.count++
  }
}
