import { createHash, randomBytes } from 'node:crypto'
import { FakeBrowser } from './browser.js'

type Body = Record<string, unknown>

/** A response of an endpoint, with its JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly expires_in: number
  readonly token_type: string
}

/** A client that sends each request of the protocol by itself, so that tests can change any part. */
export class RawClient {
  id = ''
  secret: string | undefined
  readonly redirectUri: string

  constructor(
    readonly url: URL,
    redirectUri = 'http://127.0.0.1:9/callback',
  ) {
    this.redirectUri = redirectUri
  }

  get origin(): string {
    return this.url.origin
  }

  /** Registers, and keeps the id. */
  async register(metadata: Body = {}): Promise<Answer> {
    const body = { redirect_uris: [this.redirectUri], token_endpoint_auth_method: 'none', ...metadata }
    const answer = await readJson(
      await fetch(`${this.origin}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
    this.id = String(answer.body['client_id'])
    this.secret = answer.body['client_secret'] as string | undefined
    return answer
  }

  /** Creates an authorization request. `null` leaves a parameter out. */
  authorization(changes: Record<string, string | null> = {}): Authorization {
    const verifier = randomBytes(32).toString('base64url')
    const url = new URL('/authorize', this.origin)
    const parameters = {
      response_type: 'code',
      client_id: this.id,
      redirect_uri: this.redirectUri,
      state: 'st',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: this.url.href,
      ...changes,
    }
    for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value)
    return { url, verifier }
  }

  /** Sends a token request. */
  async token(
    form: Record<string, string>,
    headers: Record<string, string> = {},
    origin = this.origin,
  ): Promise<Answer> {
    const identity = { client_id: this.id, ...(this.secret === undefined ? {} : { client_secret: this.secret }) }
    const body = new URLSearchParams({ ...identity, ...form })
    return readJson(await fetch(`${origin}/token`, { method: 'POST', body, headers }))
  }

  exchange(code: string, verifier: string, changes: Record<string, string> = {}): Promise<Answer> {
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: this.redirectUri }
    return this.token({ ...form, ...changes })
  }

  refresh(token: string, changes: Record<string, string> = {}, origin = this.origin): Promise<Answer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: token, ...changes }, {}, origin)
  }

  async revoke(token: string): Promise<Response> {
    return fetch(`${this.origin}/revoke`, { method: 'POST', body: new URLSearchParams({ client_id: this.id, token }) })
  }

  /** Logs a user in, and returns the code with its verifier. */
  async logIn(changes: Record<string, string | null> = {}, browser = new FakeBrowser()) {
    if (this.id === '') await this.register()
    const { url, verifier } = this.authorization(changes)
    const reached = await browser.logIn(url)
    return { code: reached.searchParams.get('code') ?? '', verifier, reached }
  }

  /** Logs a user in, and returns the tokens. */
  async logInForTokens(changes: Record<string, string | null> = {}): Promise<Tokens> {
    const { code, verifier } = await this.logIn(changes)
    const { status, body } = await this.exchange(code, verifier)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body as unknown as Tokens
  }

  /** Calls a tool with a token. @returns The status. */
  async call(
    token: string,
    url = this.url,
    name = 'who',
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; text: string; challenge: string }> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...more,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: {},
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    })
    return {
      status: response.status,
      text: await response.text(),
      challenge: response.headers.get('www-authenticate') ?? '',
    }
  }
}

export interface Authorization {
  readonly url: URL
  readonly verifier: string
}

export async function readJson(response: Response): Promise<Answer> {
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, body: (text === '' ? {} : JSON.parse(text)) as Body }
}
