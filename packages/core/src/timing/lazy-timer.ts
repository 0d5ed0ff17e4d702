import { longestTimer } from './start-timer.js'

/** What a timer is for. */
export interface Timed {
  onTimeout(): void
}

/**
 * A timer that is set when the event loop turns, and not at all if it was stopped by then. Most of what is timed settles
 * at once, and setting a timer and clearing it again costs more than many a handler.
 */
export class LazyTimer {
  #immediate: NodeJS.Immediate | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined
  #setAt = 0

  constructor(private readonly timed: Timed) {}

  /**
   * Each has an immediate of its own, so that the callback runs in the async context that it was started in.
   *
   * @param milliseconds Above {@link longestTimer} there is none.
   */
  start(milliseconds: number): void {
    this.stop()
    if (milliseconds > longestTimer) return
    this.#immediate = setImmediate(() => {
      this.#setAt = performance.now()
      this.#timer = setTimeout(() => this.timed.onTimeout(), milliseconds)
    })
  }

  /** @returns Milliseconds for which the timer was set. */
  stop(): number {
    clearImmediate(this.#immediate)
    if (this.#timer === undefined) return 0
    clearTimeout(this.#timer)
    this.#timer = undefined
    return performance.now() - this.#setAt
  }
}
