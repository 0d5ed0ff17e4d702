import type { Logger } from 'pino'
import { LimitError } from '../errors/limit-error.js'
import type { Counter } from './counter.js'
import { LogThrottle } from './log-throttle.js'
import { Quota } from './quota.js'
import type { RateLimit } from './rate-limit.js'
import type { RateLimiter } from './rate-limiter.js'

interface CallLimiterInit {
  readonly what: string
  readonly limiter: RateLimiter
  readonly rateLimit: RateLimit | null
  readonly ratePerCaller: boolean
  readonly maxConcurrent: number
  readonly concurrentPerCaller: boolean
  /** Counts the rejections of all limiters of the server. */
  readonly counter: Counter
  readonly log: Logger
}

const allCallers = ''

export class CallLimiter {
  readonly #concurrent: Quota
  readonly #overload = new LogThrottle()
  #rejected = 0

  constructor(private readonly init: CallLimiterInit) {
    this.#concurrent = new Quota(Infinity, init.maxConcurrent)
  }

  async enter(caller: string): Promise<Permit> {
    const { rateLimit, maxConcurrent, concurrentPerCaller } = this.init
    const key = concurrentPerCaller ? caller : allCallers
    if (!this.#concurrent.allows(key)) {
      const limit = `${maxConcurrent} at once${concurrentPerCaller ? ' for one caller' : ''}`
      this.#reject(concurrentPerCaller ? 'rateLimited' : 'unavailable', limit)
    }
    // Takes the permit before the first `await`, because other requests can arrive while this request waits.
    this.#concurrent.take(key)
    const permit = new Permit(() => this.#concurrent.take(key, -1))
    try {
      if (rateLimit !== null) await this.#count(caller, rateLimit)
    } catch (error) {
      permit.leave()
      throw error
    }
    if (this.#overload.isQuiet) this.#reportEnd()
    return permit
  }

  async #count(caller: string, rateLimit: RateLimit): Promise<void> {
    const { what, ratePerCaller, limiter } = this.init
    const waitMs = await limiter.take(`${what} ${ratePerCaller ? caller : allCallers}`, rateLimit)
    if (waitMs === 0) return
    const { calls, windowMs } = rateLimit
    this.#reject('rateLimited', `${calls} in ${windowMs / 1000} s`, waitMs)
  }

  #reportEnd(): void {
    const { what, log } = this.init
    this.#overload.end(() => log.info({ what, rejected: this.#rejected }, 'requests are within their limit again'))
  }

  #reject(kind: 'unavailable' | 'rateLimited', most: string, retryAfterMs?: number): never {
    const limit = `at most ${most}`
    const { what, counter, log } = this.init
    counter.count++
    this.#rejected++
    this.#overload.begin(() => log.warn({ what, limit }, 'requests are rejected: a limit is reached'))
    throw new LimitError(kind, `${what}: ${limit}`, retryAfterMs)
  }
}

export class Permit {
  #holders = 1
  #hasLeft = false

  constructor(private readonly free: () => void) {}

  /** Holds the permit until a promise has settled. Has no effect on a permit that is already free. */
  hold(promise: Promise<unknown>): void {
    if (this.#holders === 0) return
    this.#holders++
    const letGo = (): void => this.#letGo()
    promise.then(letGo, letGo)
  }

  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#letGo()
  }

  #letGo(): void {
    if (--this.#holders === 0) this.free()
  }
}
