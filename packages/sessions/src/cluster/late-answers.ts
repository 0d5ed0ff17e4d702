import { retry } from '@toolwright/core/store'

/** Overhead of one waiting answer in characters, for the memory of its retry, stream and timer. */
const ownLength = 3000

/**
 * Answers that the event store failed to store. The write of each answer is retried for five minutes, because a client that
 * reconnects would otherwise wait for ever.
 */
export class LateAnswers {
  #length = 0

  /** @param maxLength Maximum characters of all waiting answers, because a long outage must not fill the memory. */
  constructor(private readonly maxLength: number) {}

  async keep(message: string | null, append: () => Promise<void>): Promise<void> {
    const length = ownLength + (message?.length ?? 0)
    if (this.#length + length > this.maxLength) return
    this.#length += length
    // The error is ignored, because the store client has logged it.
    await retry(append).catch(() => undefined)
    this.#length -= length
  }
}
