import { LazyTimer, type Timed } from '../timing/lazy-timer.js'
import { NotInTime } from '../timing/within.js'

/** Who waits for a hook. */
export interface HookWaiter {
  /** Whether the call waits for its client, for which it has a time of its own. */
  readonly isPaused: boolean
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
    this.#timer.start(Math.max(1, this.#left))
  }

  stop(): void {
    this.#left -= this.#timer.stop()
  }

  onTimeout(): void {
    if (this.waiter.isPaused) this.#timer.start(this.timeoutMs)
    else this.waiter.giveUp(new NotInTime(this.timeoutMs))
  }
}
