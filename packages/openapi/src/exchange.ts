import { createHash } from 'node:crypto'
import { type McpContext, ToolError } from '@toolwright/core'
import {
  custom,
  Diagnostics,
  milliseconds,
  type OptionsOf,
  readNamedOptions,
  required,
  strings,
  text,
} from '@toolwright/core/options'
import type { Credentials, Sender } from './send.js'

export const exchangeOptions = {
  /** URL of the token endpoint of the authorization server. */
  tokenEndpoint: required(custom<string, string>('`string`', checkEndpoint)),
  /** Identifier of this server at the authorization server. Default: none. */
  clientId: text({ fix: "Give a string, such as 'mcp-server'." }),
  /** Secret of this server. Sent with `clientId` in the header `Authorization`. Default: none. */
  clientSecret: text(),
  /** Name of the API at the authorization server. Default: none. */
  audience: text({ fix: "Give a string, such as 'shop-api'." }),
  /** URL of the API, for authorization servers that use `resource` instead of `audience`. Default: none. */
  resource: text(),
  /** Scopes of the new token. Default: the scopes that the authorization server chooses. */
  scopes: strings(),
  /** Duration of a request to the token endpoint. Default: 10,000. */
  timeoutMs: milliseconds({ default: 10_000 }),
}

export interface ExchangeOptions extends OptionsOf<typeof exchangeOptions> {}

type ReadExchange = ReturnType<typeof readExchange>

/** Token exchange as a value of `auth`, created with {@link exchange}. */
export class Exchange {
  readonly #options: ReadExchange
  readonly #tokens = new Map<string, Issued>()

  constructor(options: ExchangeOptions) {
    this.#options = readExchange(options)
  }

  get tokenEndpoint(): URL {
    return new URL(this.#options.tokenEndpoint)
  }

  /** Returns the credentials of the caller at the API. @throws ToolError that tells the model the reason. */
  async credentialsOf(context: McpContext, sender: Sender): Promise<Credentials> {
    const subjectToken = context.principal === null ? null : bearerOf(context.headers?.['authorization'])
    if (subjectToken === null)
      throw new ToolError('The caller has no access token, so the API cannot be called for the caller. Log in.')
    const key = createHash('sha256').update(subjectToken).digest('base64')
    const known = this.#tokens.get(key)
    if (known !== undefined && known.expiresAt > Date.now()) return headersOf(await known.token)
    const issued: Issued = { token: this.#exchange(subjectToken, sender), expiresAt: Number.POSITIVE_INFINITY }
    this.#store(key, issued)
    try {
      const token = await issued.token
      issued.expiresAt = Date.now() + token.expiresInMs
      return headersOf(token)
    } catch (error) {
      if (this.#tokens.get(key) === issued) this.#tokens.delete(key)
      throw error
    }
  }

  #store(key: string, issued: Issued): void {
    this.#tokens.delete(key)
    this.#tokens.set(key, issued)
    const [oldest] = this.#tokens.keys()
    if (this.#tokens.size > maxTokens && oldest !== undefined) this.#tokens.delete(oldest)
  }

  async #exchange(subjectToken: string, sender: Sender): Promise<Token> {
    const { clientId, clientSecret, audience, resource, scopes, timeoutMs } = this.#options
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: subjectToken,
      subject_token_type: accessToken,
      requested_token_type: accessToken,
    })
    if (audience !== undefined) form.set('audience', audience)
    if (resource !== undefined) form.set('resource', resource)
    if (scopes.length > 0) form.set('scope', scopes.join(' '))
    if (clientId !== undefined && clientSecret === undefined) form.set('client_id', clientId)
    const headers: Record<string, string> = {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    }
    // RFC 6749, section 2.3.1: both parts are form-encoded before base64.
    if (clientId !== undefined && clientSecret !== undefined) headers['authorization'] = basic(clientId, clientSecret)
    const request = { method: 'POST', url: this.tokenEndpoint, headers, body: form.toString() }
    // The signal of one call must not end the exchange that other calls wait for.
    const answer = await sender.send(request, {}, AbortSignal.timeout(timeoutMs))
    return readToken(answer.status, answer.bytes.toString('utf8'))
  }
}

interface Token {
  readonly value: string
  readonly expiresInMs: number
}

interface Issued {
  readonly token: Promise<Token>
  expiresAt: number
}

const accessToken = 'urn:ietf:params:oauth:token-type:access_token'
const maxTokens = 10_000
/** A token is not used in the last seconds of its lifetime, so that it does not expire on its way. */
const reserveMs = 30_000

/**
 * Exchanges the token of the caller for a token of the API, which the authorization server issues for the caller. RFC 8693. The
 * token of the caller is sent to the token endpoint only.
 *
 * @throws BootError for invalid options.
 */
export function exchange(options: ExchangeOptions): Exchange {
  return new Exchange(options)
}

function readExchange(options: ExchangeOptions) {
  const diagnostics = new Diagnostics()
  const read = readNamedOptions(exchangeOptions, options, { prefix: 'exchange: ' }, diagnostics)
  diagnostics.throwIfAny()
  return read
}

function checkEndpoint(given: unknown, name: string, diagnostics: Diagnostics): boolean {
  if (typeof given === 'string' && /^https?:\/\//.test(given) && URL.canParse(given)) return true
  diagnostics.addBadOption(name, given, "Give the URL of a token endpoint, such as 'https://login.example.com/token'.")
  return false
}

function bearerOf(header: string | string[] | undefined): string | null {
  const match = typeof header === 'string' ? /^(?:bearer|dpop) +(\S+)$/i.exec(header.trim()) : null
  return match?.[1] ?? null
}

function basic(clientId: string, clientSecret: string): string {
  const [id, secret] = [clientId, clientSecret].map((part) => new URLSearchParams([['', part]]).toString().slice(1))
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
}

function readToken(status: number, body: string): Token {
  let parsed: Record<string, unknown> = {}
  try {
    parsed = Object(JSON.parse(body)) as Record<string, unknown>
  } catch {
    // An answer that is no JSON has no token.
  }
  const { access_token: value, expires_in: seconds } = parsed
  if (status === 200 && typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) {
    const lifetimeMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : 60_000
    return { value, expiresInMs: Math.max(0, lifetimeMs - reserveMs) }
  }
  const code =
    typeof parsed['error'] === 'string' && /^[\w.-]{1,64}$/.test(parsed['error']) ? ` (${parsed['error']})` : ''
  throw new ToolError(
    `The authorization server issues no token of the API for this caller${code}. Repeating the call does not help.`,
  )
}

function headersOf({ value }: Token): Credentials {
  return { headers: { authorization: `Bearer ${value}` } }
}
