import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit } from './rate-limit.js'

/** Counts calls. Give one of your own where several processes serve the same callers. */
export interface RateLimiter {
  /**
   * Counts one call.
   *
   * @param key Who calls, and what; at most some 300 characters.
   * @returns Milliseconds until a call is within the limit again; 0 when this one is. Should it reject, or take longer than
   * `limits.storeTimeoutMs`, the call is refused.
   */
  take(key: string, limit: RateLimit): number | Promise<number>
}

/** Callers that are told apart, of each limit. Further ones share one budget until others are forgotten. */
const maxKeys = 100_000

const others = ''

/** Counts in this process's memory, bounded in callers. */
export class InMemoryRateLimiter implements RateLimiter {
  readonly #windows = new Map<string, Window>()
  #sharing = 0

  constructor(private readonly bounds: { readonly maxKeys: number } = { maxKeys }) {}

  async take(key: string, limit: RateLimit): Promise<number> {
    // There are only a few different limits, since they are written in the code.
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

  /** Callers that the fullest of its limits tells apart, and how many each may. */
  get callers(): { readonly value: number; readonly max: number } {
    const sizes = [...this.#windows.values()].map(({ size }) => size)
    return { value: Math.max(0, ...sizes), max: this.bounds.maxKeys }
  }

  /** Calls since the start that counted for the budget which all further callers share. */
  get sharing(): number {
    return this.#sharing
  }
}

/** All callers of one limit. */
class Window {
  readonly #limiter: RateLimiterMemory
  /** When each caller is forgotten: soonest first, because all windows are of one length. */
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
    } catch (refused) {
      // Of a clock that was set back, it would be longer than the window.
      if (refused instanceof RateLimiterRes) return Math.min(Math.max(refused.msBeforeNext, 1), this.limit.windowMs)
      throw refused
    }
  }

  /** Callers that are not forgotten yet. */
  get size(): number {
    this.#forgetExpired(Date.now())
    return this.#expiries.size
  }

  /** What the caller counts as. */
  remember(key: string): string {
    const now = Date.now()
    this.#forgetExpired(now)
    if (this.#expiries.has(key)) return key
    if (this.#expiries.size >= this.maxCallers) return others
    this.#expiries.set(key, now + this.limit.windowMs)
    return key
  }

  #forgetExpired(now: number): void {
    for (const [key, expiry] of this.#expiries) {
      if (expiry > now) return
      this.#expiries.delete(key)
    }
  }
}
