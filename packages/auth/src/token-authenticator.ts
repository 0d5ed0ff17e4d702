import { hash } from 'node:crypto'
import {
  AuthenticationError,
  type AuthenticationRequest,
  type AuthenticationScheme,
  type Authenticator,
  type Gauge,
  type Principal,
  type ResourceMetadata,
} from '@toolwright/core'
import { type PresentedToken, readToken } from './bearer-token.js'
import { DpopChecker, type DpopCheckerOptions, dpopScheme } from './dpop.js'
import { ExpiringMap } from './expiring-map.js'
import type { TokenCacheOptions } from './options.js'
import { requireScopes } from './require-scopes.js'

export interface VerifiedToken {
  readonly principal: Principal
  /** Thumbprint of the key that the token is bound to; `null` for a token without a binding. */
  readonly boundTo: string | null
  /** Seconds since the epoch, as in the token. The principal expires later, by the clock tolerance. */
  readonly expiresAt: number
}

interface KnownToken extends VerifiedToken, Pick<PresentedToken, 'scheme'> {
  /** Milliseconds since the epoch. Until then, the token is not verified again. */
  readonly knownUntil: number
}

interface LatestToken {
  readonly header: string
  readonly known: KnownToken
}

export interface TokenAuthenticatorOptions {
  readonly metadata: ResourceMetadata | undefined
  readonly requiredScopes: readonly string[]
  /** The accepted audiences. The verifier reads this array for each token. */
  readonly audience: string[] | false
  readonly cache: Required<TokenCacheOptions>
  readonly dpop: DpopCheckerOptions
}

export interface TokenVerifier {
  /** @throws AuthenticationError */
  verify(token: string): Promise<VerifiedToken>
  readonly gauges?: readonly Gauge[]
  /** Whether `verify` sends the token to another server. Default: false. */
  readonly sendsTokens?: boolean
}

const maxCachedBytes = 32 * 1024 * 1024

/**
 * Maximum length of a header that is stored for its connection. The length is limited, because there can be many
 * connections.
 */
const maxLatestLength = 4096

export class TokenAuthenticator implements Authenticator {
  readonly scheme: AuthenticationScheme
  readonly metadata: ResourceMetadata | undefined
  readonly requiredScopes: readonly string[]
  readonly sendsCredentials: boolean
  readonly addResource: (resource: string) => void
  readonly gauges: readonly Gauge[]
  readonly #verified: ExpiringMap<KnownToken>
  /**
   * Latest token by connection. A connection sends the same token repeatedly, and comparing it takes a tenth of the
   * time of hashing it.
   */
  readonly #latest = new WeakMap<object, LatestToken>()
  readonly #pending = new Map<string, Promise<KnownToken>>()
  readonly #ttlMs: number
  readonly #dpop: DpopChecker
  readonly #isProofRequired: boolean

  constructor(
    private readonly verifier: TokenVerifier,
    { metadata, requiredScopes, audience, cache, dpop }: TokenAuthenticatorOptions,
  ) {
    this.metadata = metadata
    this.requiredScopes = requiredScopes
    this.sendsCredentials = verifier.sendsTokens ?? false
    this.addResource = (resource) => {
      // With another audience, such as a client id, tokens are the same for all URLs.
      if (audience !== false && metadata !== undefined && audience.includes(metadata.resource)) audience.push(resource)
    }
    const verified = new ExpiringMap<KnownToken>({ maxEntries: cache.maxTokens, maxBytes: maxCachedBytes })
    this.#verified = verified
    this.#ttlMs = cache.ttlSeconds * 1000
    this.#dpop = new DpopChecker(dpop)
    this.#isProofRequired = dpop.required
    this.scheme = this.#isProofRequired ? dpopScheme : { name: 'Bearer' }
    this.gauges = [
      {
        name: 'tokens_remembered',
        help: 'Valid tokens in the cache',
        max: cache.maxTokens,
        read: () => verified.size,
      },
      {
        name: 'token_bytes_remembered',
        help: 'Size of the claims of cached valid tokens, in characters',
        max: maxCachedBytes,
        read: () => verified.bytes,
      },
      ...this.#dpop.gauges,
      ...(verifier.gauges ?? []),
    ]
  }

  authenticate(request: AuthenticationRequest): Principal | null | Promise<Principal> {
    const { authorization } = request.headers
    if (authorization === undefined) return null
    // A header in the cache need not be parsed.
    const known = this.#find(String(authorization), request.connection)
    if (known !== undefined) return this.#admit(known, request)
    const presented = readToken(request.headers)
    return presented === null ? null : this.#admitPresented(presented, request)
  }

  #find(header: string, connection: object | undefined): KnownToken | undefined {
    if (connection === undefined) return this.#verified.get(digestOf(header))
    const latest = this.#latest.get(connection)
    if (latest?.header === header && latest.known.knownUntil > Date.now()) return latest.known
    const known = this.#verified.get(digestOf(header))
    if (known !== undefined && header.length <= maxLatestLength) this.#latest.set(connection, { header, known })
    return known
  }

  /** Finds or verifies a token by its value, so that all spellings of its header share one cache entry. */
  #admitPresented(presented: PresentedToken, request: AuthenticationRequest): Principal | Promise<Principal> {
    const id = digestOf(`${presented.scheme} ${presented.token}`)
    const known = this.#verified.get(id)
    return known === undefined ? this.#verifyAndAdmit(id, presented, request) : this.#admit(known, request)
  }

  async #verifyAndAdmit(id: string, presented: PresentedToken, request: AuthenticationRequest): Promise<Principal> {
    return this.#admit(await this.#verifyOnce(id, presented), request)
  }

  #verifyOnce(id: string, presented: PresentedToken): Promise<KnownToken> {
    const running = this.#pending.get(id)
    if (running !== undefined) return running
    const verifying = this.#verifyAndKeep(id, presented).finally(() => this.#pending.delete(id))
    this.#pending.set(id, verifying)
    return verifying
  }

  async #verifyAndKeep(id: string, { token, scheme }: PresentedToken): Promise<KnownToken> {
    const verified = await this.verifier.verify(token)
    const knownUntil = Math.min(verified.expiresAt * 1000, Date.now() + this.#ttlMs)
    const known = { ...verified, scheme, knownUntil }
    this.#verified.set(id, known, knownUntil, JSON.stringify(verified.principal.claims).length)
    return known
  }

  #admit({ principal, boundTo, scheme }: KnownToken, request: AuthenticationRequest): Principal | Promise<Principal> {
    if (boundTo === null) {
      if (scheme === 'DPoP' || this.#isProofRequired) throw misusedToken('the token is not bound to a key')
      return requireScopes(principal, this.requiredScopes, request)
    }
    // If a DPoP-bound token were accepted as a bearer token, a thief could use it without the key (RFC 9449, section
    // 7.1).
    if (scheme === 'Bearer') throw misusedToken('a DPoP-bound token was sent as a bearer token')
    const { token } = readToken(request.headers) as PresentedToken
    return this.#dpop.check(request, token, boundTo).then(() => requireScopes(principal, this.requiredScopes, request))
  }
}

/** Hashes a header. The cache stores digests, so that a token stays in memory only as long as its connection. */
function digestOf(header: string): string {
  return hash('sha256', header, 'base64')
}

function misusedToken(reason: string): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Unauthorized: the access token is not valid', {
    scheme: dpopScheme,
    reason,
  })
}
