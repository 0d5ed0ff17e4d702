import type { Logger } from 'pino'
import { LogThrottle } from '../limits/log-throttle.js'

/**
 * What hooks do about calls that were refused before any of them ran. No answer waits for it: without a bound, hooks that
 * take their time would let a flood of refusals fill the memory.
 */
export class RefusalObservers {
  #running = 0
  #unobserved = 0
  readonly #logThrottle: LogThrottle

  /** @param max Refusals that hooks are told of at once. */
  constructor(
    private readonly max: number,
    log: Logger,
  ) {
    this.#logThrottle = new LogThrottle(max, {
      begins: () => log.warn({ max }, 'hooks are not told of refused calls: they are busy with too many'),
      ends: () => log.info({ unobserved: this.#unobserved }, 'hooks are told of refused calls again'),
    })
  }

  /** Refusals that hooks are being told of. */
  get running(): number {
    return this.#running
  }

  /** Refusals that no hook was told of, since the start. */
  get unobserved(): number {
    return this.#unobserved
  }

  /** @param observe Returns what never rejects, or `null` when there is nothing to wait for. Left out beyond the bound. */
  run(observe: () => Promise<void> | null): void {
    if (this.#running >= this.max) {
      this.#unobserved++
      this.#logThrottle.refused()
      return
    }
    const running = observe()
    if (running === null) return
    this.#running++
    void running.then(() => this.#end())
  }

  #end(): void {
    this.#running--
    this.#logThrottle.fellTo(this.#running)
  }
}
