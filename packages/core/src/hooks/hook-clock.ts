import { startLongTimer } from '../timing/long-timer.js'
import { TimeoutError } from '../timing/with-timeout.js'

/** The call that waits for a hook. */
export interface HookWaiter {
  /** Milliseconds since the call last waited for its client: such waits have a separate timeout. */
  readonly sinceAsked: number
  /** Called when the hook times out. */
  giveUp(error: Error): void
}

/** The timeout of one hook. It is paused while the hook waits for something that has a separate timeout. */
export class HookClock {
  #left: number
  #startedAt = 0
  #timer: NodeJS.Timeout | undefined = undefined

  /** @param timeoutMs Milliseconds. */
  constructor(
    private readonly timeoutMs: number,
    private readonly waiter: HookWaiter,
  ) {
    this.#left = timeoutMs
  }

  start(): void {
    this.#startedAt = performance.now()
    this.#timer = startLongTimer(() => this.#onTimeout(), Math.max(1, this.#left))
  }

  stop(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#left -= performance.now() - this.#startedAt
  }

  #onTimeout(): void {
    this.#timer = undefined
    // Each answer of the client restarts the timeout.
    this.#left = this.timeoutMs - this.waiter.sinceAsked
    if (this.#left > 0) this.start()
    else this.waiter.giveUp(new TimeoutError(this.timeoutMs))
  }
}
