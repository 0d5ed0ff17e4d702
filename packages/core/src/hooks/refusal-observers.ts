import type { Logger } from 'pino'

/**
 * What hooks do about calls that were refused before any of them ran. No answer waits for it: without a bound, hooks that
 * take their time would let a flood of refusals fill the memory.
 */
export class RefusalObservers {
  #running = 0
  #unobserved = 0
  #isOverloaded = false

  /** @param max Refusals that hooks are told of at once. */
  constructor(
    readonly max: number,
    private readonly log: Logger,
  ) {}

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
      this.#leaveOut()
      return
    }
    const running = observe()
    if (running === null) return
    this.#running++
    void running.then(() => this.#end())
  }

  #leaveOut(): void {
    this.#unobserved++
    // Once, not for each: a flood of refusals must not become a flood of lines.
    if (!this.#isOverloaded) {
      this.log.warn({ max: this.max }, 'hooks are not told of refused calls: they are busy with too many')
    }
    this.#isOverloaded = true
  }

  #end(): void {
    this.#running--
    if (!this.#isOverloaded || this.#running > this.max / 2) return
    this.#isOverloaded = false
    this.log.info({ unobserved: this.#unobserved }, 'hooks are told of refused calls again')
  }
}
