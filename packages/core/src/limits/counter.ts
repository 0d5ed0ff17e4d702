import { MessageTooLarge } from '../errors/protocol-error.js'

/** How often something happened since the start of the server. */
export interface Counter {
  count: number
}

/** Messages that were refused since the start because they were over a limit. */
export class OversizedMessages implements Counter {
  count = 0

  /** For each message that is refused, whatever for. */
  addIfTooLarge(error: unknown): void {
    if (error instanceof MessageTooLarge) this.count++
  }
}
