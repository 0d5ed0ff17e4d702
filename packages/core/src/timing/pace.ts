/** Maximum number of calls of one client that start without waiting. */
const maxAtOnce = 16

/** Milliseconds after which a call starts even if others are still running. */
const paceMs = 5

/**
 * Spreads concurrent calls of one client, and delays new calls while long responses wait to be written. If all calls
 * began in the same turn, all results would be in memory before the first is sent.
 */
export class Pace {
  #running = 0
  #held = 0
  #wake: (() => void) | null = null

  constructor(
    /** Maximum number of bytes of responses that may wait to be written. */
    private readonly maxHeld: number,
    private readonly atOnce = maxAtOnce,
  ) {}

  started(): void {
    this.#running++
  }

  ended(): void {
    this.#running--
    this.#wake?.()
  }

  /** Records a response that is not written yet. */
  hold(bytes: number): void {
    this.#held += bytes
  }

  release(bytes: number): void {
    this.#held -= bytes
    this.#wake?.()
  }

  /** Waits until the next call may start; `null` if it may start now. Only one caller may wait at a time. */
  next(): Promise<void> | null {
    return this.#isFull || this.#running >= this.atOnce ? this.#wait() : null
  }

  get #isFull(): boolean {
    return this.#held > this.maxHeld
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      let isOver = false
      const check = (): void => {
        if (this.#isFull || (!isOver && this.#running >= this.atOnce)) return
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
