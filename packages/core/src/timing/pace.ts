/** Calls of one client that begin without any wait. */
const maxAtOnce = 16

/** Milliseconds after which the next call begins all the same: a slow call delays no other for longer. */
const paceMs = 5

/**
 * Spreads the calls of one client that come at once, and holds back further ones while long answers wait to be written. Calls
 * that all begin in one turn would hold all their results together, before any of them can be sent.
 */
export class Pace {
  #running = 0
  #held = 0
  #wake: (() => void) | null = null

  constructor(
    /** Bytes of answers that may wait to be written. */
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

  /** An answer was made, and is not written yet. */
  hold(bytes: number): void {
    this.#held += bytes
  }

  release(bytes: number): void {
    this.#held -= bytes
    this.#wake?.()
  }

  /** Waits until the next call may begin; `null` where it may at once. Only one caller at a time may wait. */
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
