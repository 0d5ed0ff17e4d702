import { LimitError } from '../errors/limit-error.js'

/**
 * Room for the URIs that sessions and connections are subscribed to, in bytes. A caller gets no more of it than it
 * leaves to all others: a flood of subscriptions, also from many callers, leaves the next one some.
 */
export class SubscriptionQuota {
  #taken = 0
  #refused = 0
  readonly #byCaller = new Map<string, number>()

  constructor(readonly max: number) {}

  get taken(): number {
    return this.#taken
  }

  /** How often there was no room, since the start. */
  get refused(): number {
    return this.#refused
  }

  /** @throws LimitError when there is no room for so many more. */
  require(caller: string, more: number): void {
    if (more <= 0 || this.#takenBy(caller) + more <= this.max - this.#taken - more) return
    this.#refused++
    throw new LimitError('unavailable', 'Too many subscriptions are open', 10_000)
  }

  change(caller: string, by: number): void {
    this.#taken += by
    const taken = this.#takenBy(caller) + by
    if (taken === 0) this.#byCaller.delete(caller)
    else this.#byCaller.set(caller, taken)
  }

  #takenBy(caller: string): number {
    return this.#byCaller.get(caller) ?? 0
  }
}

/** What one session or connection takes of it. */
export class SubscriptionShare {
  #taken = 0
  #isOpen = true

  /** @param caller Whom it counts for. */
  constructor(
    private readonly quota: SubscriptionQuota,
    private readonly caller: string,
  ) {}

  /** @param bytes How much it would be in all. @throws LimitError when there is no room for it. */
  require(bytes: number): void {
    this.quota.require(this.caller, bytes - this.#taken)
  }

  /** @param bytes How much it is in all. What is there counts, whether there was room for it or not. */
  take(bytes: number): void {
    if (!this.#isOpen) return
    this.quota.change(this.caller, bytes - this.#taken)
    this.#taken = bytes
  }

  /** Gives all of it back, and takes nothing any more. */
  close(): void {
    this.take(0)
    this.#isOpen = false
  }
}
