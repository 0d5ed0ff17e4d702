import { type JsonObject, ProtocolError } from '@toolwright/core'
import { decodeJwt, decodeProtectedHeader, errors, type JWTVerifyOptions, type JWTVerifyResult } from 'jose'
import type { IssuerSettings, JwtSettings } from './check-jwt-options.js'
import { getJson, keySetTypes } from './fetch-json.js'
import { discoverKeySet } from './issuer-metadata.js'
import { isUnknownKey, KeySet, UnusableKey } from './key-set.js'
import { RemoteKeys } from './remote-keys.js'
import { shownUrl } from './safe-url.js'
import { toPrincipal } from './to-principal.js'
import type { TokenVerifier, VerifiedToken } from './token-authenticator.js'
import { checkKind, expiredToken, invalidToken, readBinding, shownClaim } from './token-claims.js'

interface IssuerKeys {
  verify(attempt: (keys: KeySet) => Promise<JWTVerifyResult>): Promise<JWTVerifyResult>
}

/**
 * Headers by which a token would supply its own key. Tokens with these headers are rejected: legitimate issuers do not
 * need such headers.
 */
const keyHeaders = ['jwk', 'jku', 'x5u', 'x5c']

/**
 * Token types of RFC 9068, and the type that older issuers use. Other JWTs, such as proofs and logout tokens, are not
 * access tokens.
 */
const accessTokenTypes = new Set(['jwt', 'at+jwt', 'application/at+jwt'])

export class JwtVerifier implements TokenVerifier {
  readonly #keys: ReadonlyMap<string, IssuerKeys>
  readonly #settings: JwtSettings
  readonly #options: JWTVerifyOptions

  constructor(settings: JwtSettings) {
    this.#settings = settings
    this.#keys = new Map(settings.issuers.map((one) => [one.issuer, keysOf(one, settings.keys)]))
    this.#options = {
      ...(settings.audience === false ? {} : { audience: settings.audience }),
      algorithms: [...settings.algorithms],
      clockTolerance: settings.clockToleranceSeconds,
      // `iss` and `aud` are required as well, because they are compared.
      requiredClaims: ['exp'],
    }
  }

  async verify(token: string): Promise<VerifiedToken> {
    try {
      return await this.#verify(token)
    } catch (error) {
      throw toRejection(error)
    }
  }

  async #verify(token: string): Promise<VerifiedToken> {
    const parts = token.split('.').length
    if (parts === 5) throw invalidToken('an encrypted token: the client has to request a token for this API')
    if (parts !== 3) throw invalidToken('malformed: an opaque token, not a JWT')
    const { kid, alg, isAccessToken } = checkHeader(decodeProtectedHeader(token))
    // The issuer is not verified yet: it only selects the keys.
    const { iss = '' } = decodeJwt(token)
    const keys = this.#keys.get(iss)
    if (keys === undefined) throw invalidToken(`unknown issuer ${shownClaim(iss)}`)
    if (!this.#settings.algorithms.includes(alg as string))
      throw invalidToken(`ERR_JOSE_ALG_NOT_ALLOWED ${shownClaim(alg)}`)
    const options = { ...this.#options, issuer: iss }
    const { payload } = await keys.verify((set) => set.verify(token, kid, options))
    const claims: JsonObject = payload
    checkKind(claims, isAccessToken)
    this.#checkClient(claims)
    this.#checkIssuedAt(claims['iat'])
    const expiresAt = payload.exp as number
    const endsAt = expiresAt + this.#settings.clockToleranceSeconds
    return { principal: toPrincipal(claims, this.#settings.claims, endsAt), boundTo: readBinding(claims), expiresAt }
  }

  #checkClient(claims: JsonObject): void {
    const { clients } = this.#settings
    if (clients === 'any') {
      if (typeof claims['client_id'] === 'string') return
      throw invalidToken('not a token of an OAuth client: it has no client_id')
    }
    if (clients.length === 0) return
    const client = claims['client_id'] ?? claims['azp'] ?? claims['cid']
    if (!clients.includes(client as string)) throw invalidToken(`issued for another client: ${shownClaim(client)}`)
  }

  /** Rejects a token issued in the future, because jose checks `iat` only if a maximum token age is set. */
  #checkIssuedAt(iat: unknown): void {
    const now = Math.floor(Date.now() / 1000)
    if (typeof iat === 'number' && iat > now + this.#settings.clockToleranceSeconds)
      throw invalidToken('issued in the future')
  }
}

function keysOf({ issuer, jwks }: IssuerSettings, options: JwtSettings['keys']): IssuerKeys {
  if (jwks === undefined) return new RemoteKeys(issuer, () => discoverKeySet(issuer), options)
  if (jwks instanceof URL) return new RemoteKeys(shownUrl(jwks), () => getJson(jwks, { accept: keySetTypes }), options)
  const keys = new KeySet(jwks.keys)
  return { verify: (attempt) => attempt(keys) }
}

function checkHeader(header: JsonObject): {
  readonly kid: string | undefined
  readonly alg: unknown
  readonly isAccessToken: boolean
} {
  const { kid, typ, alg } = header
  if (keyHeaders.some((name) => name in header)) throw invalidToken('the token contains its own key')
  if (kid !== undefined && typeof kid !== 'string') throw invalidToken('kid is not a string')
  if (typ !== undefined && (typeof typ !== 'string' || !accessTokenTypes.has(typ.toLowerCase()))) {
    throw invalidToken('not an access token')
  }
  return { kid, alg, isAccessToken: typ !== undefined && typ.toLowerCase() !== 'jwt' }
}

function toRejection(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error
  if (error instanceof UnusableKey) return invalidToken(`the signing key cannot be used: ${error.message}`)
  if (isUnknownKey(error)) return invalidToken('unknown signing key')
  if (error instanceof errors.JWTExpired) return expiredToken()
  // The error's message is not used, because it may repeat the contents of the token.
  if (error instanceof errors.JWTClaimValidationFailed) {
    const found = error.claim === 'aud' ? ` ${shownClaim(error.payload.aud)}` : ''
    return invalidToken(`${error.code} ${error.claim}${found}`)
  }
  return invalidToken(error instanceof errors.JOSEError ? error.code : 'malformed')
}
