import { isObject } from '@toolwright/core/options'
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type JWK,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'

/** Maximum number of keys that a token is tried with, if the token does not name one key. */
const maxCandidates = 10

/** The signing key of a token exists, but it cannot verify a signature: the key is too short, or incomplete. */
export class UnusableKey extends Error {}

/** Whether other keys of the issuer could verify the token. */
export function isMiss(error: unknown): boolean {
  return isUnknownKey(error) || error instanceof errors.JWSSignatureVerificationFailed || error instanceof UnusableKey
}

export function isUnknownKey(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey
}

export class KeySet {
  readonly #all: JWTVerifyGetKey
  readonly #named = new Map<string, JWTVerifyGetKey>()
  readonly #nameless: JWTVerifyGetKey

  constructor(keys: readonly JWK[]) {
    this.#all = finderOf(keys)
    const nameless = finderOf(keys.filter(({ kid }) => kid === undefined))
    this.#nameless = (header, input) => nameless({ ...header, kid: undefined }, input)
    for (const kid of new Set(keys.map((key) => key.kid))) {
      if (kid !== undefined) this.#named.set(kid, finderOf(keys.filter((key) => key.kid === kid)))
    }
  }

  /**
   * Verifies a token. Keys without `kid` are tried as well, because an issuer with one key may name it only in tokens.
   *
   * @throws An error for which {@link isMiss} is true if no key verifies the signature.
   */
  async verify(token: string, kid: string | undefined, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
    let miss: unknown = new errors.JWKSNoMatchingKey()
    for (const find of this.#findersFor(kid)) {
      try {
        // oxlint-disable-next-line no-await-in-loop
        return await verifyWithAny(token, find, options)
      } catch (error) {
        if (!isMiss(error)) throw error
        if (!isUnknownKey(error)) miss = error
      }
    }
    throw miss
  }

  #findersFor(kid: string | undefined): readonly JWTVerifyGetKey[] {
    if (kid === undefined) return [this.#all]
    const named = this.#named.get(kid)
    return named === undefined ? [this.#nameless] : [named, this.#nameless]
  }
}

/**
 * Reads a fetched key set. Skips entries of other kinds (RFC 7517, section 5).
 *
 * @throws Error for a document without a signature key: the keys that are known stay valid.
 */
export function readKeySet(document: unknown): KeySet {
  const { keys } = (document ?? {}) as { readonly keys?: unknown }
  if (!Array.isArray(keys)) throw new Error('JSON Web Key Set malformed: keys is not an array')
  const good = keys.filter(isSignatureKey)
  if (good.length === 0) throw new Error('the key set has no key for signatures')
  return new KeySet(good)
}

function isSignatureKey(key: unknown): key is JWK {
  if (!isObject(key)) return false
  const { kty, use, key_ops: operations, kid } = key as Readonly<Record<string, unknown>>
  const isForSignatures = (use ?? 'sig') === 'sig' && (!Array.isArray(operations) || operations.includes('verify'))
  return ['RSA', 'EC', 'OKP'].includes(kty as string) && isForSignatures && ['string', 'undefined'].includes(typeof kid)
}

function finderOf(keys: readonly JWK[]): JWTVerifyGetKey {
  return createLocalJWKSet({ keys: [...keys] })
}

async function verifyWithAny(
  token: string,
  find: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, find, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw describeKeyError(error)
    let miss: unknown = new UnusableKey('its keys cannot be imported')
    let tried = 0
    for await (const key of error) {
      if (++tried > maxCandidates) break
      const outcome = await tryKey(token, key, options)
      if (!(outcome instanceof Error)) return outcome
      miss = outcome
    }
    throw miss
  }
}

async function tryKey(token: string, key: CryptoKey, options: JWTVerifyOptions): Promise<JWTVerifyResult | Error> {
  try {
    return await jwtVerify(token, key, options)
  } catch (thrown) {
    const error = describeKeyError(thrown)
    if (isMiss(error)) return error as Error
    throw error
  }
}

/** Converts errors that are not about the token: jose and Node throw other classes for keys that they cannot use. */
function describeKeyError(error: unknown): unknown {
  return error instanceof errors.JOSEError ? error : new UnusableKey((error as Error).message)
}
