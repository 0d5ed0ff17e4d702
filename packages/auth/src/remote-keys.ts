import { AuthenticationError } from '@toolwright/core'
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import type { JwtSettings } from './check-jwt-options.js'
import { RenewedValue } from './renewed-value.js'
import { invalidToken } from './token-claims.js'

type Header = Parameters<JWTVerifyGetKey>[0]
type Input = Parameters<JWTVerifyGetKey>[1]
type Key = Awaited<ReturnType<JWTVerifyGetKey>>

/** Keys of an issuer, fetched when a token needs them. */
export class RemoteKeys {
  readonly #keys: RenewedValue<JWTVerifyGetKey>

  /**
   * @param name Issuer or URL, for the log.
   * @param getKeySet Fetches the JSON Web Key Set.
   */
  constructor(
    private readonly name: string,
    getKeySet: () => Promise<unknown>,
    options: JwtSettings['keys'],
  ) {
    this.#keys = new RenewedValue(async () => createLocalJWKSet((await getKeySet()) as KeySet), options)
  }

  /** Finds the key of a token. @throws AuthenticationError if the issuer has no such key. */
  readonly find: JWTVerifyGetKey = async (header, input) => {
    const tried = this.#keys.get()
    return (await match(tried, header, input)) ?? this.#fetchAndMatch(header, input, tried)
  }

  /**
   * Fetches the keys again for a token without `kid`, because its issuer may have a new key. @returns Whether the keys are
   * new.
   */
  async renew(): Promise<boolean> {
    const before = this.#keys.get()
    return (await this.#keys.fetch()) !== before
  }

  async #fetchAndMatch(header: Header, input: Input, tried: JWTVerifyGetKey | null): Promise<Key> {
    const fetched = await this.#keys.fetch()
    // The keys also differ if another request has fetched new keys meanwhile.
    const key = fetched === tried ? null : await match(fetched, header, input)
    if (key === null) throw this.#noSuchKey()
    // The fetch returned the missing key, so the next unknown key may be fetched at once.
    this.#keys.endCooldown()
    return key
  }

  /**
   * Creates the error of an unknown key. If the keys could not be fetched, the fetch error is its cause: the caller is
   * not at fault.
   */
  #noSuchKey(): AuthenticationError {
    const { failure } = this.#keys
    if (failure === null) return invalidToken('unknown signing key')
    const error = invalidToken(
      `unknown signing key, and the keys of ${this.name} could not be fetched: ${String(failure)}`,
    )
    error.cause = failure
    return error
  }
}

type KeySet = Parameters<typeof createLocalJWKSet>[0]

async function match(keys: JWTVerifyGetKey | null, header: Header, input: Input): Promise<Key | null> {
  if (keys === null) return null
  try {
    return await keys(header, input)
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return null
    throw error
  }
}
