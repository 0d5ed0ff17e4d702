import { hash } from 'node:crypto'
import {
  AuthenticationError,
  type Authenticator,
  type Gauge,
  type JsonObject,
  LimitError,
  ProtocolError,
} from '@toolwright/core'
import { checkIntrospectionOptions, type IntrospectionSettings } from './check-introspection-options.js'
import { createAuthenticator } from './create-authenticator.js'
import { ExpiringMap } from './expiring-map.js'
import { postForm } from './fetch-json.js'
import { discoverUrl } from './issuer-metadata.js'
import type { IntrospectionOptions } from './options.js'
import { RenewedValue } from './renewed-value.js'
import { toPrincipal } from './to-principal.js'
import { TokenAuthenticator, type TokenVerifier, type VerifiedToken } from './token-authenticator.js'
import { expiredToken, invalidToken, readBinding } from './token-claims.js'

/** Milliseconds for which a token stays bad that was once, so that repeating it costs the endpoint nothing. */
const inactiveMs = 10_000

const maxInactive = 10_000

/**
 * Authenticates callers by tokens that only their issuer can read: it is asked about each (RFC 7662).
 * Mistakes in the options are reported when a server boots with it.
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

class Introspector implements TokenVerifier {
  /** Why each was refused. The errors themselves would take more room. */
  readonly #inactive = new ExpiringMap<Pick<AuthenticationError, 'message' | 'reason'>>({
    maxEntries: maxInactive,
    maxBytes: Infinity,
  })
  readonly #discovered: RenewedValue<URL>
  /** The header that tells the endpoint who asks. */
  readonly #authorization: string
  #running = 0
  #refused = 0
  readonly gauges: readonly Gauge[]

  constructor(private readonly settings: IntrospectionSettings) {
    this.#authorization = basicCredentials(settings.clientId, settings.clientSecret)
    this.#discovered = new RenewedValue(() => discoverUrl(settings.issuer, 'introspection_endpoint'))
    this.gauges = [
      {
        name: 'bad_tokens_remembered',
        help: 'Tokens that were not active, and are remembered as such',
        max: maxInactive,
        read: () => this.#inactive.size,
      },
      {
        name: 'introspections_running',
        help: 'Questions about tokens that their issuer has not answered',
        max: settings.maxConcurrent,
        read: () => this.#running,
      },
      {
        name: 'introspections_refused_total',
        help: 'Questions about tokens that were not asked because there were too many',
        kind: 'counter',
        read: () => this.#refused,
      },
    ]
  }

  async verify(token: string): Promise<VerifiedToken> {
    const id = hash('sha256', token, 'base64')
    const refusal = this.#inactive.get(id)
    if (refusal !== undefined) throw new AuthenticationError('invalid_token', refusal.message, refusal)
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

  /** @throws LimitError (503) when the endpoint cannot be asked: the token may be good. */
  async #ask(token: string): Promise<JsonObject> {
    if (this.#running >= this.settings.maxConcurrent) {
      this.#refused++
      throw unavailable()
    }
    this.#running++
    try {
      const endpoint = this.settings.endpoint ?? (await this.#discoverEndpoint())
      const answer = await postForm(endpoint, new URLSearchParams({ token }), { authorization: this.#authorization })
      if (typeof answer !== 'object' || answer === null) throw new TypeError('no JSON object')
      return answer as JsonObject
    } catch (error) {
      throw error instanceof ProtocolError ? error : unavailable(error)
    } finally {
      this.#running--
    }
  }

  async #discoverEndpoint(): Promise<URL> {
    const endpoint = this.#discovered.get() ?? (await this.#discovered.fetch())
    if (endpoint === null) throw unavailable(this.#discovered.failure)
    return endpoint
  }

  #read(claims: JsonObject): VerifiedToken {
    const { issuer, audience, clockToleranceSeconds } = this.settings
    const { active, iss = issuer } = claims
    if (active !== true) throw invalidToken('not active')
    if (iss !== issuer) throw invalidToken('another issuer')
    if (audience !== false && !isFor(audience, claims)) throw invalidToken('another audience')
    const exp = checkTimes(claims, clockToleranceSeconds)
    // So that one subject of two issuers is two principals, also where the endpoint leaves its own name out.
    const endsAt = exp === undefined ? undefined : exp + clockToleranceSeconds
    const principal = toPrincipal({ ...claims, iss }, this.settings.claims, endsAt)
    return { principal, boundTo: readBinding(claims), expiresAt: exp ?? Infinity }
  }
}

function isFor(audience: readonly string[], { aud }: JsonObject): boolean {
  const audiences: unknown[] = Array.isArray(aud) ? (aud as unknown[]) : [aud]
  return audiences.some((one) => audience.includes(one as string))
}

/** @returns When it ends, if it does. @throws AuthenticationError outside its time. */
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

/** Encoded as forms are, as RFC 6749, section 2.3.1 wants it. */
function basicCredentials(id: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
}

/** @param cause For the log. Nothing that the endpoint answers is in it, which may repeat the token. */
function unavailable(cause: unknown = null): LimitError {
  const error = new LimitError('unavailable', 'Tokens cannot be checked at present')
  error.cause = cause
  return error
}
