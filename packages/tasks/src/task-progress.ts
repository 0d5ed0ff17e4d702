interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/**
 * Minimum milliseconds between two stored messages of a task. A shorter interval is useless, because clients poll each second.
 */
const intervalMs = 1000

/** Maximum number of characters of a message. Limited because each response about the task includes the message. */
const maxLength = 500

/**
 * Publishes the progress of a task as its status message: tasks have no progress notifications. At most one message is published
 * each second: the latest.
 */
export class TaskProgress {
  #last = Number.NEGATIVE_INFINITY
  #message: string | null = null
  #isBusy = false
  #hasEnded = false
  #timer: NodeJS.Timeout | undefined = undefined

  /** @param publish Stores a status message. The returned promise must not reject. */
  constructor(private readonly publish: (message: string) => Promise<void>) {}

  /** Drops an update if `progress` does not increase. The same rule applies to progress notifications. */
  report(update: Progress): void {
    if (this.#hasEnded || !Number.isFinite(update.progress) || update.progress <= this.#last) return
    this.#last = update.progress
    this.#message = describe(update)
    if (!this.#isBusy) void this.#publishLatest()
  }

  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
  }

  async #publishLatest(): Promise<void> {
    const message = this.#message
    this.#message = null
    this.#isBusy = message !== null
    if (message === null) return
    await this.publish(message)
    if (this.#hasEnded) return
    this.#timer = setTimeout(() => void this.#publishLatest(), intervalMs).unref()
  }
}

function describe({ progress, total, message }: Progress): string {
  const place = Number.isFinite(total) ? `${progress} of ${total}` : String(progress)
  return (typeof message === 'string' ? `${place}: ${message}` : place).slice(0, maxLength)
}
