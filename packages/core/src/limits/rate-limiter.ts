import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { MaybePromise } from '../timing/maybe-promise.js'
import type { RateLimit } from './rate-limit.js'

/** Counts calls for rate limits. Implement this interface if several processes serve the same callers. */
export interface RateLimiter {
  /**
   * Counts one call.
   *
   * @param key Identifies the caller and the limit, in about 300 characters at most.
   * @returns Milliseconds until the next call is allowed; 0 if this call is allowed. An error, or a promise that takes
   * longer than `limits.storeTimeoutMs`, rejects the call.
   */
  take(key: string, limit: RateLimit): MaybePromise<number>
}

/** Maximum number of callers that are tracked for each limit. Further callers share one budget until tracked callers expire. */
const maxKeys = 100_000

const others = ''

/** Counts calls in the memory of this process, for a limited number of callers. */
export class InMemoryRateLimiter implements RateLimiter {
  readonly #windows = new Map<string, Window>()
  #sharing = 0

  constructor(private readonly bounds: { readonly maxKeys: number } = { maxKeys }) {}

  async take(key: string, limit: RateLimit): Promise<number> {
    // The map stays small: limits are part of the code, so there are only a few.
    const name = `${limit.calls}/${limit.windowMs}`
    let window = this.#windows.get(name)
    if (window === undefined) {
      window = new Window(limit, this.bounds.maxKeys)
      this.#windows.set(name, window)
    }
    const caller = window.remember(key)
    if (caller === others) this.#sharing++
    return window.take(caller)
  }

  /** `value`: number of callers of the rate limit with the most callers. `max`: maximum number of callers for each rate limit. */
  get callers(): { readonly value: number; readonly max: number } {
    const sizes = [...this.#windows.values()].map(({ size }) => size)
    return { value: Math.max(0, ...sizes), max: this.bounds.maxKeys }
  }

  /** Number of calls since the start that were counted against the shared budget. */
  get sharing(): number {
    return this.#sharing
  }

  /** Forgets all callers, and stops the timers. Called when the server of this rate limiter closes. */
  close(): void {
    for (const window of this.#windows.values()) window.close()
    this.#windows.clear()
  }
}

class Window {
  readonly #limiter: RateLimiterMemory
  /** Expiry time of each caller, earliest first, because all windows have the same length. */
  readonly #expiries = new Map<string, number>()

  constructor(
    private readonly limit: RateLimit,
    private readonly maxCallers: number,
  ) {
    this.#limiter = new RateLimiterMemory({ points: limit.calls, duration: limit.windowMs / 1000 })
  }

  async take(caller: string): Promise<number> {
    try {
      await this.#limiter.consume(caller)
      return 0
    } catch (rejected) {
      // After the clock was set back, `msBeforeNext` can exceed the window.
      if (rejected instanceof RateLimiterRes) return Math.min(Math.max(rejected.msBeforeNext, 1), this.limit.windowMs)
      throw rejected
    }
  }

  get size(): number {
    this.#deleteExpired(Date.now())
    return this.#expiries.size
  }

  /**
   * Returns the key under which to count the call: the key of the caller or, if too many callers are tracked, of the shared
   * budget.
   */
  remember(key: string): string {
    const now = Date.now()
    this.#deleteExpired(now)
    if (this.#expiries.has(key)) return key
    if (this.#expiries.size >= this.maxCallers) return others
    this.#expiries.set(key, now + this.limit.windowMs)
    return key
  }

  close(): void {
    for (const key of [...this.#expiries.keys(), others]) void this.#limiter.delete(key)
  }

  #deleteExpired(now: number): void {
    for (const [key, expiry] of this.#expiries) {
      if (expiry > now) return
      this.#expiries.delete(key)
    }
  }
}
