import { within } from '../timing/within.js'
import type { RateLimit, RateLimiter } from './rate-limiter.js'

/** Another limiter, such as one that asks a store over the network, that no request waits for without end. */
export class TimedRateLimiter implements RateLimiter {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly timeoutMs: number,
  ) {}

  /** Rejects when the time is over. */
  take(key: string, limit: RateLimit): Promise<number> {
    return within(this.limiter.take(key, limit), this.timeoutMs)
  }
}
