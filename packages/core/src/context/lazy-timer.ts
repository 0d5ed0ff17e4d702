import { onNextTurn, type TurnTask } from './next-turn.js'

/** What a timer is for. */
export interface Timed {
  onTimeout(): void
}

/**
 * A timer that is set when the event loop turns, and not at all if it was stopped by then. Most of what is timed settles
 * at once, and setting a timer and clearing it again costs more than many a handler.
 */
export class LazyTimer implements TurnTask {
  #timer: NodeJS.Timeout | undefined = undefined
  /** 0: it is stopped, or set. */
  #milliseconds = 0
  #isDue = false
  #setAt = 0

  constructor(private readonly timed: Timed) {}

  /** @param milliseconds At least 1. */
  start(milliseconds: number): void {
    this.stop()
    this.#milliseconds = milliseconds
    if (this.#isDue) return
    this.#isDue = true
    onNextTurn(this)
  }

  onTurn(): void {
    this.#isDue = false
    if (this.#milliseconds === 0) return
    this.#setAt = performance.now()
    this.#timer = setTimeout(() => this.timed.onTimeout(), this.#milliseconds)
  }

  /** @returns Milliseconds for which the timer was set. */
  stop(): number {
    this.#milliseconds = 0
    if (this.#timer === undefined) return 0
    clearTimeout(this.#timer)
    this.#timer = undefined
    return performance.now() - this.#setAt
  }
}
