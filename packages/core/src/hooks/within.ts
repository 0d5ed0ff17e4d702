import { LazyTimer, longestTimer, type Timed } from '../context/lazy-timer.js'

/** What a hook is given up with that did not settle in time. */
class HookTimeout extends Error {
  override readonly name = 'HookTimeout'
}

/** The promise's outcome, or a rejection once `timeoutMs` have passed. What comes of the promise later is ignored. */
export function within<Value>(promise: PromiseLike<Value>, timeoutMs: number): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const clock = new HookClock(timeoutMs, { giveUp: reject })
    const succeed = (value: Value): void => {
      clock.stop()
      resolve(value)
    }
    const fail = (error: unknown): void => {
      clock.stop()
      reject(error)
    }
    clock.start()
    // Whatever its own `then` does.
    Promise.resolve(promise).then(succeed, fail)
  })
}

/** Who waits for a hook. */
export interface HookWaiter {
  /** Called when the hook's time is over. */
  giveUp(error: Error): void
}

/** How long one hook may take. It stands still while the hook waits for something that has a limit of its own. */
export class HookClock implements Timed {
  readonly #timer = new LazyTimer(this)
  #left: number

  constructor(
    private readonly timeoutMs: number,
    private readonly waiter: HookWaiter,
  ) {
    this.#left = timeoutMs
  }

  start(): void {
    if (this.#left <= longestTimer) this.#timer.start(Math.max(1, this.#left))
  }

  stop(): void {
    this.#left -= this.#timer.stop()
  }

  onTimeout(): void {
    this.waiter.giveUp(new HookTimeout(`it did not settle within ${this.timeoutMs} ms`))
  }
}
