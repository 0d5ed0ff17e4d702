import { LimitError } from '../errors/limit-error.js'
import { Quota } from './quota.js'

/**
 * Quota in bytes for the subscribed URIs of sessions and connections. One caller can use at most half of the bytes that other
 * callers leave. A flood of subscriptions, even of many callers, therefore leaves bytes for the next caller.
 */
export class SubscriptionQuota extends Quota {
  #rejected = 0

  get rejected(): number {
    return this.#rejected
  }

  require(caller: string, more: number): void {
    if (more <= 0 || this.allowsShare(caller, more)) return
    this.#rejected++
    throw new LimitError('unavailable', 'Too many subscriptions are open', 10_000)
  }
}

export class SubscriptionShare {
  #taken = 0
  #isOpen = true

  constructor(
    private readonly quota: SubscriptionQuota,
    private readonly caller: string,
  ) {}

  require(bytes: number): void {
    this.quota.require(this.caller, bytes - this.#taken)
  }

  take(bytes: number): void {
    if (!this.#isOpen) return
    this.quota.take(this.caller, bytes - this.#taken)
    this.#taken = bytes
  }

  close(): void {
    this.take(0)
    this.#isOpen = false
  }
}
