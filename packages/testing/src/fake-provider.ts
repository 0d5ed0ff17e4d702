import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { FakeBrowser } from './fake-browser.js'

/** A user of the fake provider: claims of the ID token. */
export type FakeUser = Readonly<Record<string, unknown>> & { readonly sub: string }

export interface FakeProviderOptions {
  /** The user who logs in. Default: `{ sub: 'ann', name: 'Ann', email: 'ann@example.com', email_verified: true }`. */
  readonly user?: FakeUser
  /** Port on 127.0.0.1. Default: a free port. */
  readonly port?: number
}

interface Login {
  readonly user: FakeUser
  readonly nonce: string | null
}

interface Code extends Login {
  readonly challenge: string | null
  readonly redirectUri: string
}

const ann: FakeUser = { sub: 'ann', name: 'Ann', email: 'ann@example.com', email_verified: true }

/**
 * An OpenID provider for tests and development, on 127.0.0.1. It logs the user in without asking. `await using` stops it.
 */
export class FakeProvider implements AsyncDisposable {
  /** Options of `oidc` from `@toolwright/login`. */
  readonly client: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string }
  /** The user who logs in next. */
  user: FakeUser
  /** Whether the provider answers every request with `503`. */
  isDown = false
  readonly #codes = new Map<string, Code>()
  readonly #sessions = new Map<string, Login>()
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 })

  constructor(
    client: FakeProvider['client'],
    private readonly server: Server,
    user: FakeUser,
  ) {
    this.client = client
    this.user = user
    server.on('request', (request, response) => void this.#answer(request, response))
  }

  /**
   * Acts as the browser of the user: opens an authorization request, agrees on the consent page, and returns the redirect to the
   * client. The URL is what a client passes to `redirectToAuthorization`.
   *
   * @throws Error with the text of the page, if the login ends at a page.
   */
  logIn(authorization: URL): Promise<URL> {
    return new FakeBrowser().logIn(authorization)
  }

  /** Ends all sessions of a user: the next refresh is rejected. */
  dismiss(sub: string): void {
    for (const [token, { user }] of this.#sessions) if (user.sub === sub) this.#sessions.delete(token)
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { issuer } = this.client
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    if (this.isDown) return sendJson(response, 503, {})
    if (pathname === '/.well-known/openid-configuration') return sendJson(response, 200, metadataOf(issuer))
    if (pathname === '/keys') {
      const jwk = this.#keys.publicKey.export({ format: 'jwk' })
      return sendJson(response, 200, { keys: [{ ...jwk, kid: 'fake', alg: 'RS256', use: 'sig' }] })
    }
    if (pathname === '/authorize') return this.#authorize(searchParams, response)
    if (pathname === '/token' && request.method === 'POST') {
      return this.#token(request, new URLSearchParams(await text(request)), response)
    }
    if (pathname === '/revoke' && request.method === 'POST') {
      this.#sessions.delete(new URLSearchParams(await text(request)).get('token') ?? '')
      return sendJson(response, 200, {})
    }
    return sendJson(response, 404, {})
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirectUri = query.get('redirect_uri') ?? ''
    if (query.get('client_id') !== this.client.clientId || !URL.canParse(redirectUri)) {
      return sendJson(response, 400, { error: 'invalid_request' })
    }
    const code = randomId()
    const { user } = this
    this.#codes.set(code, { user, redirectUri, challenge: query.get('code_challenge'), nonce: query.get('nonce') })
    const target = new URL(redirectUri)
    target.searchParams.set('code', code)
    target.searchParams.set('state', query.get('state') ?? '')
    response.writeHead(302, { location: target.href }).end()
  }

  #token(request: IncomingMessage, form: URLSearchParams, response: ServerResponse): void {
    if (!this.#isClient(request, form)) return sendJson(response, 401, { error: 'invalid_client' })
    const login = form.get('grant_type') === 'refresh_token' ? this.#takeSession(form) : this.#takeCode(form)
    if (login === undefined) return sendJson(response, 400, { error: 'invalid_grant' })
    const refreshToken = randomId()
    this.#sessions.set(refreshToken, login)
    return sendJson(response, 200, {
      access_token: randomId(),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: refreshToken,
      id_token: this.#idToken(login),
    })
  }

  #takeSession(form: URLSearchParams): Login | undefined {
    const token = form.get('refresh_token') ?? ''
    const session = this.#sessions.get(token)
    this.#sessions.delete(token)
    return session === undefined ? undefined : { ...session, nonce: null }
  }

  #takeCode(form: URLSearchParams): Login | undefined {
    const code = form.get('code') ?? ''
    const found = this.#codes.get(code)
    this.#codes.delete(code)
    if (found === undefined || found.redirectUri !== form.get('redirect_uri')) return undefined
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    return found.challenge === null || found.challenge === challenge ? found : undefined
  }

  #isClient({ headers }: IncomingMessage, form: URLSearchParams): boolean {
    const { clientId, clientSecret } = this.client
    const [, sent] = /^basic (\S+)$/i.exec(headers.authorization ?? '') ?? []
    if (sent !== undefined) return decodeBasic(sent) === `${clientId}:${clientSecret}`
    return form.get('client_id') === clientId && form.get('client_secret') === clientSecret
  }

  #idToken({ user, nonce }: Login): string {
    const now = Math.floor(Date.now() / 1000)
    const { issuer, clientId } = this.client
    const more = nonce === null ? {} : { nonce }
    return signJwt({ ...user, iss: issuer, aud: clientId, iat: now, exp: now + 300, ...more }, this.#keys.privateKey)
  }
}

/** Starts a provider for tests and development, on 127.0.0.1. */
export async function fakeProvider({ user = ann, port = 0 }: FakeProviderOptions = {}): Promise<FakeProvider> {
  const server = createServer()
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return new FakeProvider({ issuer, clientId: 'fake-client', clientSecret: randomId() }, server, user)
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
  }
}

function signJwt(claims: object, key: KeyObject): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const signed = `${encode({ alg: 'RS256', kid: 'fake', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}

function decodeBasic(basic: string): string {
  return decodeURIComponent(Buffer.from(basic, 'base64').toString())
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function randomId(): string {
  return randomBytes(24).toString('base64url')
}
