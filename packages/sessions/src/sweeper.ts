/** Longest interval in milliseconds at which a store in memory drops expired entries, even if it is not used. */
const longestIntervalMs = 60_000

/** Drops expired entries of a store in memory, as long as the store has entries. */
export class Sweeper {
  #timer: NodeJS.Timeout | undefined = undefined

  /** @param sweep Drops all expired entries. @returns Whether entries are left. */
  constructor(private readonly sweep: () => boolean) {}

  /** @param lifetimeMs Lifetime of an entry in milliseconds. */
  start(lifetimeMs: number): void {
    const run = (): void => {
      if (!this.sweep()) this.stop()
    }
    this.#timer ??= setInterval(run, Math.min(longestIntervalMs, lifetimeMs)).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
