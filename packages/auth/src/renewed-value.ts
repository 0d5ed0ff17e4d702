import { defaultsOf } from '@toolwright/core/options'
import { keyFetchOptions } from './options.js'

/**
 * A cached value from an issuer, fetched on demand and refreshed when it is old. Survives outages of the issuer. Lookups of
 * missing keys are rate limited.
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

  /** Returns the cached value, or `null`. */
  get(): Value | null {
    const age = performance.now() - this.#fetchedAt
    // The fetch is not awaited: the old value stays valid meanwhile.
    if (age > this.#maxAgeMs && age <= this.#maxAgeMs + this.#staleMs) void this.#renew()
    if (age > this.#maxAgeMs + this.#staleMs) this.#value = null
    return this.#value
  }

  /**
   * Fetches the value. Only one fetch runs at a time, and the next fetch waits for the cooldown.
   *
   * @returns The new value, or the previous one if the fetch failed.
   */
  async fetch(): Promise<Value | null> {
    await (this.#pending ?? this.#fetchUnlessTooSoon())
    return this.#value
  }

  /** Allows the next fetch at once, because the latest fetch returned the missing value. */
  endCooldown(): void {
    this.#nextFetchAt = -Infinity
  }

  /** Error of the last fetch, or `null`. */
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
