/** What a hook is given up with that did not settle in time. */
class HookTimeout extends Error {
  override readonly name = 'HookTimeout'
}

/** The promise's outcome, or a rejection once `timeoutMs` have passed. What comes of the promise later is ignored. */
export async function within<Value>(promise: PromiseLike<Value>, timeoutMs: number): Promise<Value> {
  const clock = new HookClock(timeoutMs)
  try {
    return await clock.race(promise)
  } finally {
    clock.stop()
  }
}

/** Milliseconds, some 24 days. A longer timer would fire at once; so long a hook has no limit. */
const longestTimer = 2 ** 31 - 1

/** How long one hook may take. It stands still while the hook waits for something that has a limit of its own. */
export class HookClock {
  readonly #timeoutMs: number
  #left: number
  #isStopped = false
  #startedAt = 0
  #timer: NodeJS.Timeout | undefined = undefined
  #reject: ((reason: Error) => void) | null = null

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
    this.#left = timeoutMs
  }

  race<Value>(promise: PromiseLike<Value>): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.#reject = reject
      promise.then(resolve, reject)
      if (!this.#isStopped) this.start()
    })
  }

  start(): void {
    this.#isStopped = false
    if (this.#reject === null || this.#left > longestTimer) return
    this.#startedAt = performance.now()
    this.#timer = setTimeout(() => this.#expire(), this.#left)
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#left = Math.max(0, this.#left - (performance.now() - this.#startedAt))
  }

  #expire(): void {
    this.#reject?.(new HookTimeout(`it did not settle within ${this.#timeoutMs} ms`))
  }
}
