import { MessageTooLarge } from '../errors/protocol-error.js'

/** A count since the start of the server. */
export interface Counter {
  count: number
}

/** Counts messages that were rejected because they exceed a limit. */
export class OversizedMessages implements Counter {
  count = 0

  /** Call it with the error of every rejected message: only messages that are too large are counted. */
  addIfTooLarge(error: unknown): void {
    if (error instanceof MessageTooLarge) this.count++
  }
}
