import type { Logger } from 'pino'
import { LogThrottle } from '../limits/log-throttle.js'

/**
 * Runs hooks for calls that were rejected before any hook ran. Answers do not wait for these hooks. At most `max` rejections are
 * handled at once, so that slow hooks cannot fill the memory during a flood of rejections.
 */
export class RejectionObservers {
  #running = 0
  #unobserved = 0
  readonly #overload = new LogThrottle()

  constructor(
    private readonly max: number,
    private readonly log: Logger,
  ) {}

  get running(): number {
    return this.#running
  }

  get unobserved(): number {
    return this.#unobserved
  }

  /**
   * Runs the hooks of one rejection, unless `max` rejections are pending.
   *
   * @param observe Returns a promise that never rejects, or `null` if there is nothing to wait for.
   */
  run(observe: () => Promise<void> | null): void {
    const { max, log } = this
    if (this.#running >= max) {
      this.#unobserved++
      this.#overload.begin(() => log.warn({ max }, 'rejected calls are not reported to hooks: too many are pending'))
      return
    }
    const running = observe()
    if (running === null) return
    this.#running++
    void running.then(() => this.#end())
  }

  #end(): void {
    this.#running--
    if (!this.#overload.isOn || this.#running > this.max / 2) return
    const counts = { unobserved: this.#unobserved }
    this.#overload.end(() => this.log.info(counts, 'rejected calls are reported to hooks again'))
  }
}
