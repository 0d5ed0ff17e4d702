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
  /** `null`: as often as anybody likes. */
  readonly rateLimit: RateLimit | null
  /** `false`: all callers share the rate limit. */
  readonly ratePerCaller: boolean
  readonly maxConcurrent: number
  /** `false`: all callers share that number. */
  readonly concurrentPerCaller: boolean
  readonly counter: Counter
  readonly log: Logger
}

const everybody = ''

/** Holds requests to a rate limit, and to a number at once. Made only where there is such a limit. */
export class CallLimiter {
  /** As many as are inside. */
  readonly #inside = new Map<string, number>()

  readonly #refusals: RejectionLog

  constructor(private readonly init: CallLimiterInit) {
    this.#refusals = new RejectionLog(init)
  }

  /**
   * Waits for the rate limiter, and takes a permit.
   *
   * @throws LimitError
   */
  async enter(caller: string): Promise<Permit> {
    await this.#enter(caller)
    this.#refusals.endIfQuiet()
    return new Permit(() => this.#leave(caller))
  }

  async #enter(caller: string): Promise<void> {
    const { rateLimit, maxConcurrent, concurrentPerCaller } = this.init
    const key = concurrentPerCaller ? caller : everybody
    const inside = this.#inside.get(key) ?? 0
    if (inside >= maxConcurrent) {
      const limit = `${maxConcurrent} at once${concurrentPerCaller ? ' for one caller' : ''}`
      this.#refuse(concurrentPerCaller ? 'rateLimited' : 'unavailable', limit)
    }
    // Before anything is awaited: others come meanwhile.
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
    const key = this.init.concurrentPerCaller ? caller : everybody
    const left = (this.#inside.get(key) ?? 1) - 1
    if (left === 0) this.#inside.delete(key)
    else this.#inside.set(key, left)
  }

  async #count(caller: string, rateLimit: RateLimit): Promise<void> {
    const { what, ratePerCaller, limiter } = this.init
    const waitMs = await limiter.take(`${what} ${ratePerCaller ? caller : everybody}`, rateLimit)
    if (waitMs === 0) return
    const { calls, windowMs } = rateLimit
    this.#refuse('rateLimited', `${calls} in ${windowMs / 1000} s`, waitMs)
  }

  #refuse(kind: 'unavailable' | 'rateLimited', most: string, retryAfterMs?: number): never {
    const limit = `at most ${most}`
    this.#refusals.add(limit)
    throw new LimitError(kind, `${this.init.what}: ${limit}`, retryAfterMs)
  }
}

/** A place inside a gate. It is free again when all who hold it have let go. */
export class Permit {
  /** The first is who came in. */
  #holders = 1
  #hasLeft = false

  constructor(private readonly free: () => void) {}

  /** Holds it until a promise has settled as well. One that is free already stays so. */
  hold(promise: Promise<unknown>): void {
    if (this.#holders === 0) return
    this.#holders++
    const letGo = (): void => this.#letGo()
    promise.then(letGo, letGo)
  }

  /** Who came in is out. Calls after the first change nothing. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#letGo()
  }

  #letGo(): void {
    if (--this.#holders === 0) this.free()
  }
}
