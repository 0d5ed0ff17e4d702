import { setImmediate } from 'node:timers'

/**
 * A timer that is set when the event loop turns, and not at all if it was stopped by then. Most of what is timed settles
 * at once, and setting a timer and clearing it again costs more than many a handler.
 */
export class LazyTimer {
  /** 0: stopped. */
  #milliseconds = 0
  #isWaiting = false
  #setAt = 0
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(private readonly callback: () => void) {}

  /** @param milliseconds From 1 on. */
  start(milliseconds: number): void {
    this.#milliseconds = milliseconds
    if (this.#isWaiting) return
    this.#isWaiting = true
    if (waiting.push(this) === 1) setImmediate(setWaiting)
  }

  /** @returns Milliseconds for which the timer was set. */
  stop(): number {
    this.#milliseconds = 0
    if (this.#timer === undefined) return 0
    clearTimeout(this.#timer)
    this.#timer = undefined
    return performance.now() - this.#setAt
  }

  /** For the end of the turn. */
  set(): void {
    this.#isWaiting = false
    if (this.#milliseconds === 0) return
    this.#setAt = performance.now()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.callback, this.#milliseconds)
  }
}

let waiting: LazyTimer[] = []

/** One immediate for all: many calls are answered in one turn. */
function setWaiting(): void {
  const timers = waiting
  waiting = []
  for (const timer of timers) timer.set()
}
