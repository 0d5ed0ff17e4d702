import type { LimitError } from '@toolwright/core'
import { defaultsOf } from '@toolwright/core/options'
import { Backoff } from './backoff.js'
import { keyFetchOptions } from './options.js'

/**
 * A cached value from an issuer, fetched on demand and refreshed when it is old. Survives outages of the issuer. Lookups of
 * missing keys are rate limited.
 */
export class RenewedValue<Value extends object> {
  #value: Value | null = null
  #fetchedAt = -Infinity
  /** End of the cooldown after a successful fetch. The backoff ends the wait after a failed fetch. */
  #cooldownUntil = -Infinity
  #pending: Promise<void> | null = null
  #failure: Error | null = null
  readonly #backoff = new Backoff()
  readonly #maxAgeMs: number
  readonly #staleMs: number
  readonly #cooldownMs: number

  /** @param name Describes the value in the log: `the keys of https://login.example.com`. */
  constructor(
    private readonly name: string,
    private readonly load: () => Promise<Value>,
    { maxAgeSeconds, staleSeconds, cooldownSeconds } = defaultsOf(keyFetchOptions),
  ) {
    this.#maxAgeMs = maxAgeSeconds * 1000
    this.#staleMs = staleSeconds * 1000
    this.#cooldownMs = cooldownSeconds * 1000
  }

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

  endCooldown(): void {
    this.#cooldownUntil = -Infinity
  }

  get hasFailed(): boolean {
    return this.#failure !== null
  }

  unavailable(): LimitError {
    const failure = new Error(`${this.name} could not be fetched: ${String(this.#failure)}`, { cause: this.#failure })
    return this.#backoff.unavailable(failure)
  }

  async #renew(): Promise<void> {
    const before = this.#fetchedAt
    await this.fetch()
    if (this.#fetchedAt !== before) this.endCooldown()
  }

  #fetchUnlessTooSoon(): Promise<void> | null {
    const isCoolingDown = this.#value !== null && performance.now() < this.#cooldownUntil
    if (isCoolingDown || this.#backoff.waitMs > 0) return null
    this.#pending = this.#load().finally(() => {
      this.#pending = null
    })
    return this.#pending
  }

  async #load(): Promise<void> {
    const begun = performance.now()
    try {
      this.#value = await this.load()
      this.#fetchedAt = performance.now()
      this.#cooldownUntil = begun + this.#cooldownMs
      this.#failure = null
      this.#backoff.succeeded()
    } catch (error) {
      this.#failure = error as Error
      // Without a value, all callers are rejected, so the next fetch comes soon.
      const cooldownMs = begun + this.#cooldownMs - performance.now()
      this.#backoff.failed(error, this.#value === null ? this.#backoff.doubledMs(this.#cooldownMs) : cooldownMs)
    }
  }
}
