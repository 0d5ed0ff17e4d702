import { hash } from 'node:crypto'
import { AuthenticationError, type Authenticator, type Gauge, type JsonObject, ProtocolError } from '@toolwright/core'
import { Backoff } from './backoff.js'
import { checkIntrospectionOptions, type IntrospectionSettings } from './check-introspection-options.js'
import { createAuthenticator } from './create-authenticator.js'
import { ExpiringMap } from './expiring-map.js'
import { FetchError, postForm } from './fetch-json.js'
import { discoverUrl } from './issuer-metadata.js'
import type { IntrospectionOptions } from './options.js'
import { RenewedValue } from './renewed-value.js'
import { toPrincipal } from './to-principal.js'
import { TokenAuthenticator, type TokenVerifier, type VerifiedToken } from './token-authenticator.js'
import { checkKind, expiredToken, invalidToken, readBinding, shownClaim } from './token-claims.js'

/** Milliseconds for which a rejected token is cached, so that a repeated token causes no request to the endpoint. */
const inactiveMs = 10_000

const maxInactive = 10_000

/**
 * Authenticates callers by opaque tokens. Sends each token to the introspection endpoint of its issuer (RFC 7662).
 * Invalid options are reported when a server boots with the authenticator.
 *
 * @example
 * introspection({
 *   issuer: 'https://login.example.com',
 *   clientId: 'mcp-server',
 *   clientSecret: process.env.INTROSPECTION_SECRET,
 *   audience: 'https://mcp.example.com/mcp',
 * })
 */
export function introspection(options: IntrospectionOptions): Authenticator {
  return createAuthenticator('introspection', options, checkIntrospectionOptions, (settings) => {
    return new TokenAuthenticator(new Introspector(settings), settings)
  })
}

/**
 * Rejects tokens that the issuer cannot know: they may be secrets of other systems.
 *
 * @throws AuthenticationError
 */
function checkSendable(token: string, { accepts, issuer }: IntrospectionSettings): void {
  if (accepts !== undefined && !accepts.test(token)) throw invalidToken('does not match accepts')
  const iss = issuerOf(token)
  if (iss !== undefined && iss !== issuer) throw invalidToken(`issued by another issuer: ${shownClaim(iss)}`)
}

/** Returns the unverified issuer of a JWT; `undefined` for other tokens. */
function issuerOf(token: string): unknown {
  const [, payload = '', ...rest] = token.split('.')
  if (rest.length !== 1) return undefined
  try {
    return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as JsonObject | null)?.['iss']
  } catch {
    return undefined
  }
}

class Introspector implements TokenVerifier {
  /** Cache of rejected tokens. Contains messages and reasons, because error objects would take more memory. */
  readonly #inactive = new ExpiringMap<Pick<AuthenticationError, 'message' | 'reason'>>({
    maxEntries: maxInactive,
    maxBytes: Infinity,
  })
  readonly #discovered: RenewedValue<URL>
  readonly #backoff = new Backoff()
  readonly #credentials: Credentials
  #running = 0
  #rejected = 0
  readonly sendsTokens = true
  readonly gauges: readonly Gauge[]

  constructor(private readonly settings: IntrospectionSettings) {
    this.#credentials = credentialsOf(settings)
    this.#discovered = new RenewedValue(`the metadata of ${settings.issuer}`, () =>
      discoverUrl(settings.issuer, 'introspection_endpoint'),
    )
    this.gauges = [
      {
        name: 'bad_tokens_remembered',
        help: 'Rejected tokens in the cache',
        max: maxInactive,
        read: () => this.#inactive.size,
      },
      {
        name: 'introspections_running',
        help: 'Introspection requests in flight',
        max: settings.maxConcurrent,
        read: () => this.#running,
      },
      {
        name: 'introspections_rejected_total',
        help: 'Introspection requests rejected by the limit',
        kind: 'counter',
        read: () => this.#rejected,
      },
    ]
  }

  async verify(token: string): Promise<VerifiedToken> {
    checkSendable(token, this.settings)
    const id = hash('sha256', token, 'base64')
    const rejection = this.#inactive.get(id)
    if (rejection !== undefined) throw new AuthenticationError('invalid_token', rejection.message, rejection)
    const claims = await this.#ask(token)
    try {
      return this.#read(claims)
    } catch (error) {
      if (error instanceof AuthenticationError) {
        const { message, reason } = error
        this.#inactive.set(id, { message, reason }, Date.now() + inactiveMs)
      }
      throw error
    }
  }

  /** @throws LimitError (503) if the endpoint is unavailable, because the token could be valid. */
  async #ask(token: string): Promise<JsonObject> {
    if (this.#running >= this.settings.maxConcurrent) {
      this.#rejected++
      throw this.#backoff.unavailable(null)
    }
    if (this.#backoff.waitMs > 0) throw this.#backoff.unavailable(new Error('the endpoint demands a wait'))
    this.#running++
    try {
      const endpoint = this.settings.endpoint ?? (await this.#discoverEndpoint())
      const form = new URLSearchParams({ token, token_type_hint: 'access_token', ...this.#credentials.form })
      const answer = await postForm(endpoint, form, this.#credentials.headers)
      if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
        throw new TypeError('the response is not a JSON object')
      return answer as JsonObject
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      // Each token is a separate question: only a wait that the endpoint demands affects other tokens.
      this.#backoff.failed(error, 0)
      throw this.#backoff.unavailable(explain(error))
    } finally {
      this.#running--
    }
  }

  async #discoverEndpoint(): Promise<URL> {
    const endpoint = this.#discovered.get() ?? (await this.#discovered.fetch())
    if (endpoint === null) throw this.#discovered.unavailable()
    return endpoint
  }

  #read(claims: JsonObject): VerifiedToken {
    const { issuer, audience, clockToleranceSeconds } = this.settings
    const { active, iss = issuer } = claims
    if (active !== true) throw invalidToken('not active')
    checkKind(claims)
    if (iss !== issuer) throw invalidToken(`issued by another issuer: ${shownClaim(iss)}`)
    if (audience !== false && !isFor(audience, claims)) {
      throw invalidToken(`issued for another audience: ${shownClaim(claims['aud'])}`)
    }
    const exp = checkTimes(claims, clockToleranceSeconds)
    // The principal always has an `iss`, even if the endpoint omits it: equal subjects of two issuers are different
    // principals.
    const endsAt = exp === undefined ? undefined : exp + clockToleranceSeconds
    const principal = toPrincipal({ ...claims, iss }, this.settings.claims, endsAt)
    return { principal, boundTo: readBinding(claims), expiresAt: exp ?? Infinity }
  }
}

function explain(error: unknown): unknown {
  if (!(error instanceof FetchError && error.status === 401)) return error
  return new Error(`${error.message}: the endpoint rejected the credentials of this server`)
}

function isFor(audience: readonly string[], { aud }: JsonObject): boolean {
  const audiences: unknown[] = Array.isArray(aud) ? (aud as unknown[]) : [aud]
  return audiences.some((one) => audience.includes(one as string))
}

/**
 * @returns Expiry in seconds since the epoch; `undefined` for a token without `exp`.
 * @throws AuthenticationError if `nbf` or `exp` is not a number, or the token is not valid yet or has expired.
 */
function checkTimes({ nbf, exp }: JsonObject, toleranceSeconds: number): number | undefined {
  if (!isTime(nbf)) throw invalidToken('nbf is not a number')
  if (!isTime(exp)) throw invalidToken('exp is not a number')
  const now = Math.floor(Date.now() / 1000)
  if (nbf !== undefined && nbf > now + toleranceSeconds) throw invalidToken('not valid yet')
  if (exp !== undefined && exp <= now - toleranceSeconds) throw expiredToken()
  return exp
}

function isTime(value: unknown): value is number | undefined {
  return value === undefined || typeof value === 'number'
}

interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, string>>
}

function credentialsOf({ clientId, clientSecret, clientAuthentication }: IntrospectionSettings): Credentials {
  if (clientAuthentication === 'basic')
    return { headers: { authorization: basicCredentials(clientId, clientSecret) }, form: {} }
  return { headers: {}, form: { client_id: clientId, client_secret: clientSecret } }
}

/** Encodes id and secret like form values, as RFC 6749, section 2.3.1 requires. */
function basicCredentials(id: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
}
