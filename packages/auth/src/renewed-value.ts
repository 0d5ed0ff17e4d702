import { defaultsOf } from '@toolwright/core/options'
import { keyFetchOptions } from './options.js'

/**
 * Something of an issuer's, fetched when it is needed and anew when it is old. It outlives an outage of the issuer, and
 * whoever asks for what is not there does not make this server flood it.
 */
export class RenewedValue<Value extends object> {
  #value: Value | null = null
  #fetchedAt = -Infinity
  #nextFetchAt = -Infinity
  #pending: Promise<void> | null = null
  #failure: Error | null = null
  readonly #maxAgeMs: number
  readonly #staleMs: number
  readonly #cooldownMs: number

  constructor(
    private readonly load: () => Promise<Value>,
    { maxAgeSeconds, staleSeconds, cooldownSeconds } = defaultsOf(keyFetchOptions),
  ) {
    this.#maxAgeMs = maxAgeSeconds * 1000
    this.#staleMs = staleSeconds * 1000
    this.#cooldownMs = cooldownSeconds * 1000
  }

  /** What is there, or `null`. */
  get(): Value | null {
    const age = performance.now() - this.#fetchedAt
    // Not awaited: what is there is good meanwhile.
    if (age > this.#maxAgeMs && age <= this.#maxAgeMs + this.#staleMs) void this.#renew()
    if (age > this.#maxAgeMs + this.#staleMs) this.#value = null
    return this.#value
  }

  /**
   * Fetches it, at most once at a time, and after a fetch that did not help not again for a while.
   *
   * @returns What is there then: what was there before, where nothing could be fetched.
   */
  async fetch(): Promise<Value | null> {
    await (this.#pending ?? this.#fetchUnlessTooSoon())
    return this.#value
  }

  /** The last fetch helped: the next need not wait. */
  endCooldown(): void {
    this.#nextFetchAt = -Infinity
  }

  /** Why the last fetch brought nothing, or `null`. */
  get failure(): Error | null {
    return this.#failure
  }

  async #renew(): Promise<void> {
    const before = this.#fetchedAt
    await this.fetch()
    if (this.#fetchedAt !== before) this.endCooldown()
  }

  #fetchUnlessTooSoon(): Promise<void> | null {
    const now = performance.now()
    if (now < this.#nextFetchAt) return null
    this.#nextFetchAt = now + this.#cooldownMs
    this.#pending = this.#load().finally(() => {
      this.#pending = null
    })
    return this.#pending
  }

  async #load(): Promise<void> {
    try {
      this.#value = await this.load()
      this.#fetchedAt = performance.now()
      this.#failure = null
    } catch (error) {
      this.#failure = error as Error
    }
  }
}
