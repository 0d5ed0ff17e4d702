import { retry } from '../../../timing/retry.js'

/** What one takes besides its message: its try, its stream and a timer are some three thousand bytes. */
const ownLength = 3000

/**
 * Answers that the event store could not keep when they came. Each is tried again for five minutes, because a client that
 * comes back for one would wait for ever.
 */
export class LateAnswers {
  #length = 0

  /** @param maxLength Characters of all that wait: a store that is gone for long must not fill the memory. */
  constructor(private readonly maxLength: number) {}

  /** Resolves when it is kept or given up. */
  async keep(message: string | null, append: () => Promise<void>): Promise<void> {
    const length = ownLength + (message?.length ?? 0)
    if (this.#length + length > this.maxLength) return
    this.#length += length
    // The store has told the log.
    await retry(append).catch(() => undefined)
    this.#length -= length
  }
}
