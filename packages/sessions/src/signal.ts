/** A flag that one waiter can wait for. */
export class Signal {
  #isSet: boolean
  #isClosed = false
  #wake: (() => void) | null = null

  constructor(isSet: boolean) {
    this.#isSet = isSet
  }

  get isSet(): boolean {
    return this.#isSet
  }

  set(): void {
    if (this.#isClosed) return
    this.#isSet = true
    this.wake()
  }

  clear(): void {
    this.#isSet = false
  }

  /** Clears the flag, and ignores further calls of `set`. */
  close(): void {
    this.#isClosed = true
    this.clear()
  }

  /** Ends the wait without setting the flag. */
  wake(): void {
    this.#wake?.()
  }

  /** Resolves when the flag is set, and after `waitMs` milliseconds at the latest. */
  wait(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs).unref()
      this.#wake = () => {
        this.#wake = null
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
