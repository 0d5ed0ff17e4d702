import { AuthenticationError } from '@toolwright/core'
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { getJson } from './fetch-json.js'
import type { KeyFetchOptions } from './options.js'

type Header = Parameters<JWTVerifyGetKey>[0]
type Input = Parameters<JWTVerifyGetKey>[1]
type Key = Awaited<ReturnType<JWTVerifyGetKey>>

/**
 * An issuer's keys, fetched when they are needed. They outlive an outage of the issuer, and tokens with keys that nobody
 * knows do not make this server flood it.
 */
export class RemoteKeys {
  #keys: JWTVerifyGetKey | null = null
  #loadedAt = -Infinity
  #nextFetchAt = -Infinity
  #pending: Promise<boolean> | null = null
  #failure = ''
  readonly #maxAgeMs: number
  readonly #staleMs: number
  readonly #cooldownMs: number

  constructor(
    private readonly url: URL,
    { maxAgeSeconds = 600, staleSeconds = 3600, cooldownSeconds = 30 }: KeyFetchOptions = {},
  ) {
    this.#maxAgeMs = maxAgeSeconds * 1000
    this.#staleMs = staleSeconds * 1000
    this.#cooldownMs = cooldownSeconds * 1000
  }

  /** The key of a token. @throws AuthenticationError when there is none. */
  readonly find: JWTVerifyGetKey = async (header, input) => {
    const age = performance.now() - this.#loadedAt
    // Not awaited: the keys that are there are good meanwhile.
    if (age > this.#maxAgeMs && age <= this.#maxAgeMs + this.#staleMs) void this.#renew()
    if (age > this.#maxAgeMs + this.#staleMs) this.#keys = null
    const tried = this.#keys
    return (await this.#match(header, input)) ?? this.#fetchAndMatch(header, input, tried)
  }

  async #fetchAndMatch(header: Header, input: Input, tried: JWTVerifyGetKey | null): Promise<Key> {
    await this.#fetch()
    // Somebody else may have fetched them meanwhile.
    const key = this.#keys === tried ? null : await this.#match(header, input)
    if (key === null) {
      throw new AuthenticationError('invalid_token', 'Unauthorized: the access token is not valid', {
        reason: `no such key${this.#failure}`,
      })
    }
    // It was there to be fetched: the next unknown key may be as well.
    this.#nextFetchAt = -Infinity
    return key
  }

  async #match(header: Header, input: Input): Promise<Key | null> {
    if (this.#keys === null) return null
    try {
      return await this.#keys(header, input)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return null
      throw error
    }
  }

  async #renew(): Promise<void> {
    if (await this.#fetch()) this.#nextFetchAt = -Infinity
  }

  /** At most one at a time, and after one that did not help none for a while. Tells whether there are new keys. */
  #fetch(): Promise<boolean> {
    if (this.#pending !== null) return this.#pending
    const now = performance.now()
    if (now < this.#nextFetchAt) return Promise.resolve(false)
    this.#nextFetchAt = now + this.#cooldownMs
    this.#pending = this.#load().finally(() => {
      this.#pending = null
    })
    return this.#pending
  }

  async #load(): Promise<boolean> {
    try {
      this.#keys = createLocalJWKSet((await getJson(this.url)) as Parameters<typeof createLocalJWKSet>[0])
      this.#loadedAt = performance.now()
      this.#failure = ''
      return true
    } catch (error) {
      this.#failure = `, and the keys of ${this.url.href} could not be fetched: ${String(error)}`
      return false
    }
  }
}
