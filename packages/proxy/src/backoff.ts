/** Delays of attempts to reach an upstream, which double up to a limit. */
export class Backoff {
  #attempts = 0

  constructor(
    private readonly firstMs = 250,
    private readonly maxMs = 30_000,
  ) {}

  get attempts(): number {
    return this.#attempts
  }

  /** Returns the delay before the next attempt. A random part keeps servers from reconnecting at the same moment. */
  next(): number {
    const delay = Math.min(this.maxMs, this.firstMs * 2 ** this.#attempts++)
    return delay * (0.75 + Math.random() / 4)
  }

  reset(): void {
    this.#attempts = 0
  }
}
