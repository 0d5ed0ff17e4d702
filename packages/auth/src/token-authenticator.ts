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

/** What a good token says. */
export interface VerifiedToken {
  readonly principal: Principal
  /** Thumbprint of the key that it is bound to; `null`: whoever has it may use it. */
  readonly boundTo: string | null
  /** Seconds since the epoch, as the token has it: its principal's end is later, by what clocks may differ. */
  readonly expiresAt: number
}

/** What is remembered of a header that held a good token. */
interface KnownToken extends VerifiedToken, Pick<PresentedToken, 'scheme'> {
  /** Milliseconds since the epoch: until then it is not asked about again. */
  readonly knownUntil: number
}

/** What came over a connection last. */
interface LatestToken {
  readonly header: string
  readonly known: KnownToken
}

export interface TokenAuthenticatorOptions {
  readonly metadata: ResourceMetadata | undefined
  readonly requiredScopes: readonly string[]
  readonly cache: Required<TokenCacheOptions>
  readonly dpop: DpopCheckerOptions
}

/** Finds out whether tokens are good, and how far that is from limits of its own. */
export interface TokenVerifier {
  /** @throws AuthenticationError */
  verify(token: string): Promise<VerifiedToken>
  readonly gauges?: readonly Gauge[]
}

const maxCachedBytes = 32 * 1024 * 1024

/** Characters of a header that is kept with its connection: there can be many of them. */
const maxLatestLength = 4096

/** Authenticates by the token in `Authorization`, and remembers for a while what it found out. */
export class TokenAuthenticator implements Authenticator {
  readonly scheme: AuthenticationScheme
  readonly metadata: ResourceMetadata | undefined
  readonly requiredScopes: readonly string[]
  readonly gauges: readonly Gauge[]
  readonly #verified: ExpiringMap<KnownToken>
  /** A connection brings the same token again and again, and comparing it takes a tenth of the time of its digest. */
  readonly #latest = new WeakMap<object, LatestToken>()
  readonly #pending = new Map<string, Promise<KnownToken>>()
  readonly #ttlMs: number
  readonly #dpop: DpopChecker
  readonly #isProofRequired: boolean

  constructor(
    private readonly verifier: TokenVerifier,
    { metadata, requiredScopes, cache, dpop }: TokenAuthenticatorOptions,
  ) {
    this.metadata = metadata
    this.requiredScopes = requiredScopes
    const verified = new ExpiringMap<KnownToken>({ maxEntries: cache.maxTokens, maxBytes: maxCachedBytes })
    this.#verified = verified
    this.#ttlMs = cache.ttlSeconds * 1000
    this.#dpop = new DpopChecker(dpop)
    this.#isProofRequired = dpop.required
    this.scheme = this.#isProofRequired ? dpopScheme : { name: 'Bearer' }
    this.gauges = [
      {
        name: 'tokens_remembered',
        help: 'Good tokens that are remembered',
        max: cache.maxTokens,
        read: () => verified.size,
      },
      {
        name: 'token_bytes_remembered',
        help: 'Characters of the claims of good tokens that are remembered',
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
    // A header that was good once need not be read again, where it is written as usual.
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

  /** However it is written: one token has one entry. */
  #admitPresented(presented: PresentedToken, request: AuthenticationRequest): Principal | Promise<Principal> {
    const id = digestOf(`${presented.scheme} ${presented.token}`)
    const known = this.#verified.get(id)
    return known === undefined ? this.#verifyAndAdmit(id, presented, request) : this.#admit(known, request)
  }

  async #verifyAndAdmit(id: string, presented: PresentedToken, request: AuthenticationRequest): Promise<Principal> {
    return this.#admit(await this.#verifyOnce(id, presented), request)
  }

  /** Requests that come together with one token wait for one answer. */
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
      if (scheme === 'DPoP' || this.#isProofRequired) throw misusedToken('the token is bound to no key')
      return requireScopes(principal, this.requiredScopes, request)
    }
    // RFC 9449, section 7.1: as a bearer token it would be good for whoever stole it.
    if (scheme === 'Bearer') throw misusedToken('a bound token came as a bearer token')
    const { token } = readToken(request.headers) as PresentedToken
    return this.#dpop.check(request, token, boundTo).then(() => requireScopes(principal, this.requiredScopes, request))
  }
}

/** A token itself is kept no longer than the connection that it came over: what is known of it outlives that. */
function digestOf(header: string): string {
  return hash('sha256', header, 'base64')
}

function misusedToken(reason: string): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Unauthorized: the access token is not valid', {
    scheme: dpopScheme,
    reason,
  })
}
