/** Maximum number of calls of one client that start without waiting. */
const maxAtOnce = 16

/** Milliseconds after which the next call starts, even if earlier calls are still running. */
const paceMs = 5

/**
 * Spreads concurrent calls of one client, and delays new calls while a long response waits to be written. If all calls began in
 * the same turn, other clients would wait for all these calls, and all results would be in memory before the first result is
 * sent.
 */
export class Pace {
  #running = 0
  #held = 0
  #wake: (() => void) | null = null

  constructor(private readonly atOnce = maxAtOnce) {}

  started(): void {
    this.#running++
  }

  ended(): void {
    this.#running--
    this.#wake?.()
  }

  hold(): void {
    this.#held++
  }

  release(): void {
    this.#held--
    this.#wake?.()
  }

  /** Waits until the next call can start; `null` if the call can start now. Only one wait at a time is supported. */
  next(): Promise<void> | null {
    return this.#held > 0 || this.#running >= this.atOnce ? this.#wait() : null
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      let isOver = false
      const check = (): void => {
        if (this.#held > 0 || (!isOver && this.#running >= this.atOnce)) return
        clearTimeout(timer)
        this.#wake = null
        resolve()
      }
      const timer = setTimeout(() => {
        isOver = true
        check()
      }, paceMs)
      this.#wake = check
    })
  }
}
