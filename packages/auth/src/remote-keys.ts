import type { JwtSettings } from './check-jwt-options.js'
import { isMiss, isUnknownKey, type KeySet, readKeySet } from './key-set.js'
import { RenewedValue } from './renewed-value.js'

type Attempt<Verified> = (keys: KeySet) => Promise<Verified>

export class RemoteKeys {
  readonly #keys: RenewedValue<KeySet>

  /**
   * @param name Issuer or URL, for the log.
   * @param getKeySet Fetches the JSON Web Key Set.
   */
  constructor(name: string, getKeySet: () => Promise<unknown>, options: JwtSettings['keys']) {
    this.#keys = new RenewedValue(`the keys of ${name}`, async () => readKeySet(await getKeySet()), options)
  }

  /**
   * Verifies a token with the known keys, and then with fetched keys, because the issuer may have a new key. The new key can
   * have the name of the old one.
   *
   * @throws LimitError (503) if the key is unknown because a fetch failed: the caller is not at fault.
   */
  async verify<Verified>(attempt: Attempt<Verified>): Promise<Verified> {
    const known = this.#keys.get()
    let miss: unknown = null
    if (known !== null) {
      try {
        return await attempt(known)
      } catch (error) {
        if (!isMiss(error)) throw error
        miss = error
      }
    }
    const fetched = await this.#keys.fetch()
    if (fetched === null) throw this.#keys.unavailable()
    // The keys also differ if another request has fetched new keys meanwhile.
    if (fetched !== known) return this.#retry(attempt, fetched, miss)
    if (isUnknownKey(miss) && this.#keys.hasFailed) throw this.#keys.unavailable()
    throw miss
  }

  async #retry<Verified>(attempt: Attempt<Verified>, keys: KeySet, miss: unknown): Promise<Verified> {
    try {
      const verified = await attempt(keys)
      this.#endCooldown(miss)
      return verified
    } catch (error) {
      if (!isUnknownKey(error)) this.#endCooldown(miss)
      throw error
    }
  }

  /**
   * Lets the next unknown key be fetched at once, because the fetch returned the missing key. After an invalid signature, the
   * cooldown stays: otherwise, each forged token would cause a fetch.
   */
  #endCooldown(miss: unknown): void {
    if (miss === null || isUnknownKey(miss)) this.#keys.endCooldown()
  }
}
