import type { Logger } from 'pino'
import { LimitError } from '../errors/limit-error.js'
import type { Counter } from './counter.js'
import type { RateLimit } from './rate-limit.js'
import type { RateLimiter } from './rate-limiter.js'
import { RejectionLog } from './rejection-log.js'

interface CallLimiterInit {
  /** For messages: `Tool 'search'`. */
  readonly what: string
  readonly limiter: RateLimiter
  /** `null`: unlimited. */
  readonly rateLimit: RateLimit | null
  /** `false`: all callers share the rate limit. */
  readonly ratePerCaller: boolean
  readonly maxConcurrent: number
  /** `false`: all callers share `maxConcurrent`. */
  readonly concurrentPerCaller: boolean
  readonly counter: Counter
  readonly log: Logger
}

const allCallers = ''

/** Enforces a rate limit and a maximum of concurrent requests. Created only where such a limit is set. */
export class CallLimiter {
  /** Numbers of concurrent requests, by caller. */
  readonly #inside = new Map<string, number>()

  readonly #rejections: RejectionLog

  constructor(private readonly init: CallLimiterInit) {
    this.#rejections = new RejectionLog(init)
  }

  /**
   * Checks both limits, and returns a permit.
   *
   * @throws LimitError
   */
  async enter(caller: string): Promise<Permit> {
    await this.#enter(caller)
    this.#rejections.endIfQuiet()
    return new Permit(() => this.#leave(caller))
  }

  async #enter(caller: string): Promise<void> {
    const { rateLimit, maxConcurrent, concurrentPerCaller } = this.init
    const key = concurrentPerCaller ? caller : allCallers
    const inside = this.#inside.get(key) ?? 0
    if (inside >= maxConcurrent) {
      const limit = `${maxConcurrent} at once${concurrentPerCaller ? ' for one caller' : ''}`
      this.#reject(concurrentPerCaller ? 'rateLimited' : 'unavailable', limit)
    }
    // Before the first `await`: other requests may arrive meanwhile.
    this.#inside.set(key, inside + 1)
    if (rateLimit === null) return
    try {
      await this.#count(caller, rateLimit)
    } catch (error) {
      this.#leave(caller)
      throw error
    }
  }

  #leave(caller: string): void {
    const key = this.init.concurrentPerCaller ? caller : allCallers
    const left = (this.#inside.get(key) ?? 1) - 1
    if (left === 0) this.#inside.delete(key)
    else this.#inside.set(key, left)
  }

  async #count(caller: string, rateLimit: RateLimit): Promise<void> {
    const { what, ratePerCaller, limiter } = this.init
    const waitMs = await limiter.take(`${what} ${ratePerCaller ? caller : allCallers}`, rateLimit)
    if (waitMs === 0) return
    const { calls, windowMs } = rateLimit
    this.#reject('rateLimited', `${calls} in ${windowMs / 1000} s`, waitMs)
  }

  #reject(kind: 'unavailable' | 'rateLimited', most: string, retryAfterMs?: number): never {
    const limit = `at most ${most}`
    this.#rejections.add(limit)
    throw new LimitError(kind, `${this.init.what}: ${limit}`, retryAfterMs)
  }
}

/** The permit of one request. It is free again when all its holders have released it. */
export class Permit {
  /** Number of holders. The request itself is the first. */
  #holders = 1
  #hasLeft = false

  constructor(private readonly free: () => void) {}

  /** Holds the permit until a promise has settled. No effect on a permit that is already free. */
  hold(promise: Promise<unknown>): void {
    if (this.#holders === 0) return
    this.#holders++
    const letGo = (): void => this.#letGo()
    promise.then(letGo, letGo)
  }

  /** Releases the permit for the request itself. Further calls have no effect. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#letGo()
  }

  #letGo(): void {
    if (--this.#holders === 0) this.free()
  }
}
