import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  type Claims,
  cognito,
  entra,
  github,
  google,
  type LoginOptions,
  type LoginProvider,
  oidc,
  okta,
} from '@toolwright/login'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient } from './support/raw-client.js'

const tenant = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490'

/** A request to the token endpoint of a fake. */
interface TokenRequest {
  readonly form: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

/** Answers as a provider does. The user agrees at once. */
class FakeProvider {
  readonly authorizations: URLSearchParams[] = []
  readonly tokenRequests: TokenRequest[] = []
  readonly others: {
    readonly method: string
    readonly path: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[] = []
  /** Answer of the token endpoint. */
  answerToken: (request: TokenRequest, nonce: string) => Promise<object> = async () => ({})
  answerOther: (path: string, headers: IncomingMessage['headers']) => [number, object] = () => [404, {}]
  /** Headers and status of token answers. */
  tokenStatus = 200
  #nonce = ''

  private constructor(
    readonly origin: string,
    readonly server: Server,
  ) {}

  static async start(): Promise<FakeProvider> {
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const fake = new FakeProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server)
    server.on('request', (request, response) => void fake.#answer(request, response))
    return fake
  }

  /** Signs an ID token, as the issuer of the claims. */
  async idToken(claims: Record<string, unknown>): Promise<string> {
    const { privateKey } = await keys
    return new SignJWT({ aud: 'client', exp: Math.floor(Date.now() / 1000) + 300, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuedAt()
      .sign(privateKey)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.origin)
    if (/authorize$|\/auth$/.test(url.pathname)) {
      this.authorizations.push(url.searchParams)
      this.#nonce = url.searchParams.get('nonce') ?? ''
      const target = new URL(url.searchParams.get('redirect_uri') ?? '')
      target.searchParams.set('code', 'code-of-the-provider')
      target.searchParams.set('state', url.searchParams.get('state') ?? '')
      return void response.writeHead(302, { location: target.href }).end()
    }
    const body = await text(request)
    if (request.method === 'POST' && url.pathname.endsWith('token')) {
      const tokenRequest = { form: new URLSearchParams(body), headers: request.headers }
      this.tokenRequests.push(tokenRequest)
      const answer = await this.answerToken(tokenRequest, this.#nonce)
      return void response
        .writeHead(this.tokenStatus, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer))
    }
    if (url.pathname === '/.well-known/openid-configuration') {
      const { origin } = this
      const endpoints = {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/keys`,
      }
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(endpoints))
    }
    this.others.push({ method: request.method ?? '', path: url.pathname, headers: request.headers, body })
    const [status, answer] = this.answerOther(url.pathname, request.headers)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }
}

const keys = generateKeyPair('RS256').then(async (pair) => ({ ...pair, jwk: await exportJWK(pair.publicKey) }))

let fake: FakeProvider

beforeEach(async () => {
  fake = await FakeProvider.start()
})

afterEach(async () => {
  await closeServers()
  fake.server.closeAllConnections()
  fake.server.close()
})

/** Sends requests for the provider's hosts to the fake, because some presets have no option for the host. */
function redirectHosts(...hosts: readonly string[]): void {
  const real = globalThis.fetch
  jest.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    return real(hosts.includes(url.host) ? new URL(`${url.pathname}${url.search}`, fake.origin) : input, init)
  })
}

afterEach(() => jest.restoreAllMocks())

async function start(
  provider: LoginProvider,
  options: Partial<LoginOptions> = {},
): Promise<{ client: RawClient; server: ProtectedServer }> {
  const server = await ProtectedServer.start({ provider, ...options })
  return { client: new RawClient(server.url), server }
}

/** Returns subject, roles and claims of the caller. */
async function who(client: RawClient, token: string): Promise<{ subject: string; roles: string[]; claims: Claims }> {
  const { text: body } = await client.call(token)
  const parsed = JSON.parse(body) as { result: { content: { text: string }[] } }
  return JSON.parse(parsed.result.content[0]?.text ?? '') as { subject: string; roles: string[]; claims: Claims }
}

const registration = { clientId: 'client', clientSecret: 'secret of the client' }

describe('Entra', () => {
  function answerAs(claims: Record<string, unknown>): void {
    fake.answerToken = async (_request, nonce) => ({
      token_type: 'Bearer',
      expires_in: 3600,
      access_token: 'opaque',
      refresh_token: `r${fake.tokenRequests.length}`,
      scope: 'openid profile email api://client/read',
      id_token: await fake.idToken({
        iss: `${fake.origin}/${tenant}/v2.0`,
        tid: tenant,
        oid: 'oid-of-ann',
        sub: 'pairwise',
        nonce,
        ...claims,
      }),
    })
  }

  test('gets no resource, and the scopes with the code; the subject is the id of the person', async () => {
    answerAs({ preferred_username: 'ann@acme.example', roles: ['Admin'] })
    const { client } = await start(entra({ tenant, authority: fake.origin, ...registration }))

    const tokens = await client.logInForTokens()

    expect(await who(client, tokens.access_token)).toMatchObject({
      subject: 'oid-of-ann',
      roles: ['Admin'],
      claims: { tid: tenant, preferred_username: 'ann@acme.example', iss: `${fake.origin}/${tenant}/v2.0` },
    })
    const [sent] = fake.authorizations
    expect(sent?.has('resource')).toBe(false)
    expect(sent?.get('prompt')).toBe('select_account')
    const { form, headers } = fake.tokenRequests[0] as TokenRequest
    expect(form.has('resource')).toBe(false)
    expect(form.get('scope')).toBe('openid profile email offline_access')
    expect(form.get('client_secret')).toBe('secret of the client')
    expect(headers.authorization).toBeUndefined()
  })

  test('keeps a session by its rotated refresh tokens', async () => {
    answerAs({})
    const { client } = await start(entra({ tenant, authority: fake.origin, ...registration }))
    const tokens = await client.logInForTokens()
    const second = await client.refresh(tokens.refresh_token)
    await client.refresh(String(second.body['refresh_token']))

    expect(fake.tokenRequests.map(({ form }) => form.get('refresh_token'))).toStrictEqual([null, 'r1', 'r2'])
  })

  test.each([
    ['another tenant', { tid: 'b'.repeat(8), iss: 'x' }],
    ['another issuer', { iss: 'https://sts.windows.net/other/' }],
    ['another nonce', { nonce: 'other' }],
    ['another client', { aud: 'other' }],
  ])('rejects ID tokens of %s', async (_what, claims) => {
    answerAs(claims)
    const { client } = await start(entra({ tenant, authority: fake.origin, ...registration }))

    const { reached } = await client.logIn()

    expect(reached.searchParams.get('error')).toMatch(/^(?:access_denied|server_error)$/)
  })

  test('lets only users of the listed tenants in', async () => {
    answerAs({})
    const shared = { tenant: 'organizations', authority: fake.origin, ...registration }
    const { client } = await start(entra({ ...shared, tenants: [tenant] }))
    expect((await client.logIn()).reached.searchParams.has('code')).toBe(true)

    const { client: other } = await start(entra({ ...shared, tenants: ['another'] }))
    expect((await other.logIn()).reached.searchParams.get('error')).toBe('access_denied')
  })

  test('gets scopes of an API as they are written, and they do not become scopes of this server', async () => {
    answerAs({})
    const scopes = ['openid', 'offline_access', 'api://orders/Orders.Read']
    const { client } = await start(entra({ tenant, authority: fake.origin, scopes, ...registration }))

    const tokens = await client.logInForTokens({ scope: 'users:read' })

    expect(fake.authorizations[0]?.get('scope')).toBe(scopes.join(' '))
    expect(fake.tokenRequests[0]?.form.get('scope')).toBe(scopes.join(' '))
    expect(tokens.scope).toBe('users:read')
    expect(await who(client, tokens.access_token)).toMatchObject({ scopes: ['users:read'] })
  })

  test('says that groups are missing, instead of treating the user as without groups', async () => {
    answerAs({ _claim_names: { groups: 'src1' } })
    const { client, server } = await start(entra({ tenant, authority: fake.origin, ...registration }))

    await client.logInForTokens()

    expect(JSON.stringify(server.logged)).toContain('Entra left out the groups')
  })
})

describe('GitHub', () => {
  beforeEach(() => {
    fake.answerOther = (path, { authorization }) =>
      path === '/api/v3/user' && authorization === 'Bearer gho_1'
        ? [200, { id: 583231, login: 'octocat', name: null }]
        : [401, {}]
    fake.answerToken = async () => ({ access_token: 'gho_1', scope: 'read:user,user:email', token_type: 'bearer' })
  })

  const octocat = (): LoginProvider => github({ url: fake.origin, ...registration })

  test('has opaque tokens without an end, and scopes with commas: the claims are those of the user', async () => {
    const { client } = await start(octocat())

    const tokens = await client.logInForTokens()

    expect(await who(client, tokens.access_token)).toMatchObject({
      subject: '583231',
      claims: { login: 'octocat', iss: fake.origin },
    })
    expect(fake.tokenRequests[0]?.headers.accept).toBe('application/json')
    expect(fake.authorizations[0]?.get('scope')).toBe('read:user user:email')
    expect(fake.authorizations[0]?.has('nonce')).toBe(false)
  })

  test('is asked about the user at each refresh, and not for each call', async () => {
    const { client } = await start(octocat())
    const tokens = await client.logInForTokens()
    for (let call = 0; call < 3; call++) {
      // oxlint-disable-next-line no-await-in-loop
      await client.call(tokens.access_token)
    }
    expect(fake.others).toHaveLength(1)
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200)
    expect(fake.others).toHaveLength(2)
  })

  test('ends the session of a user whose token was revoked, and keeps it during an outage', async () => {
    const { client } = await start(octocat())
    const tokens = await client.logInForTokens()
    fake.answerOther = () => [502, {}]
    expect((await client.refresh(tokens.refresh_token)).status).toBe(503)
    fake.answerOther = () => [401, {}]
    expect((await client.refresh(tokens.refresh_token)).body['error']).toBe('invalid_grant')
  })

  test('answers errors with status 200', async () => {
    fake.answerToken = async () => ({ error: 'bad_verification_code', error_description: 'The code is incorrect' })
    const { client } = await start(octocat())

    const { reached } = await client.logIn()

    expect(reached.searchParams.get('error')).toBe('access_denied')
    expect(reached.href).not.toContain('The+code+is+incorrect')
  })

  test('expires tokens of GitHub Apps: the refresh token is rotated', async () => {
    fake.answerToken = async ({ form }) =>
      form.get('refresh_token') === 'ghr_1'
        ? { access_token: 'gho_1', token_type: 'bearer', refresh_token: 'ghr_2', expires_in: 28_800 }
        : { access_token: 'gho_1', token_type: 'bearer', refresh_token: 'ghr_1', expires_in: 28_800 }
    const { client } = await start(octocat())
    const tokens = await client.logInForTokens()

    expect((await client.refresh(tokens.refresh_token)).status).toBe(200)

    fake.answerToken = async () => ({ error: 'bad_refresh_token' })
    const next = await client.refresh(tokens.refresh_token)
    expect((await client.refresh(String(next.body['refresh_token']))).body['error']).toBe('invalid_grant')
  })

  test('revokes the token of the user', async () => {
    const { client } = await start(octocat())
    const tokens = await client.logInForTokens()

    await client.revoke(tokens.refresh_token)

    const [, revocation] = fake.others
    expect(revocation).toMatchObject({
      method: 'DELETE',
      path: '/api/v3/applications/client/token',
      body: '{"access_token":"gho_1"}',
    })
    expect(revocation?.headers.authorization).toBe(
      `Basic ${Buffer.from('client:secret of the client').toString('base64')}`,
    )
  })

  test('accepts no token of GitHub from a client', async () => {
    const { client } = await start(octocat())
    expect((await client.call('gho_1')).status).toBe(401)
  })
})

describe('Google', () => {
  test('is asked for a refresh token; the ID token has the claims, and none is returned later', async () => {
    redirectHosts('accounts.google.com')
    fake.answerToken = async ({ form }, nonce) => ({
      access_token: 'ya29.opaque',
      token_type: 'Bearer',
      expires_in: 3599,
      scope: 'openid https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile',
      ...(form.get('grant_type') === 'refresh_token'
        ? {}
        : {
            refresh_token: '1//r',
            id_token: await fake.idToken({
              iss: fake.origin,
              sub: '1234',
              email: 'ann@acme.example',
              email_verified: true,
              hd: 'acme.example',
              nonce,
            }),
          }),
    })
    const provider = { ...google({ hostedDomain: 'acme.example', ...registration }), server: fake.origin }
    const { client } = await start(provider, { allow: ({ claims }) => claims['hd'] === 'acme.example' })

    const tokens = await client.logInForTokens()
    const next = await client.refresh(tokens.refresh_token)
    await client.refresh(String(next.body['refresh_token']))

    expect(Object.fromEntries(fake.authorizations[0] ?? [])).toMatchObject({
      access_type: 'offline',
      prompt: 'consent select_account',
      hd: 'acme.example',
      scope: 'openid profile email',
    })
    expect(await who(client, String(next.body['access_token']))).toMatchObject({
      subject: '1234',
      claims: { hd: 'acme.example' },
    })
    expect(fake.tokenRequests.map(({ form }) => form.get('refresh_token'))).toStrictEqual([null, '1//r', '1//r'])
  })
})

describe('Google, for a token of another app,', () => {
  async function answerWith(claims: Record<string, unknown>): Promise<RawClient> {
    fake.answerToken = async (_request, nonce) => ({
      access_token: 'ya29.opaque',
      token_type: 'Bearer',
      id_token: await fake.idToken({ iss: fake.origin, sub: '1234', nonce, ...claims }),
    })
    const { client } = await start({ ...google(registration), server: fake.origin })
    return client
  }

  test.each<[string, Record<string, unknown>]>([
    ['another client', { aud: 'other.apps.googleusercontent.com' }],
    ['several clients', { aud: ['client', 'other'] }],
    ['another nonce', { nonce: 'planted' }],
    ['another issuer', { iss: 'https://accounts.example.com' }],
  ])('logs no one in with an ID token of %s', async (_whose, claims) => {
    const client = await answerWith(claims)
    expect((await client.logIn()).reached.searchParams.get('error')).toBe('server_error')
  })

  test('accepts no access token and no ID token as credentials', async () => {
    const client = await answerWith({})
    await client.logInForTokens()
    const idToken = await fake.idToken({ iss: fake.origin, sub: '1234' })
    expect((await client.call('ya29.opaque')).status).toBe(401)
    expect((await client.call(idToken)).status).toBe(401)
    // The token is never put into a URL.
    expect(fake.others).toEqual([])
  })
})

describe('any OpenID provider', () => {
  async function begin(claims: Record<string, unknown>, response: object = {}): Promise<RawClient> {
    fake.answerToken = async (_request, nonce) => ({
      access_token: 'opaque',
      token_type: 'Bearer',
      refresh_token: 'r',
      id_token: await fake.idToken({ iss: fake.origin, sub: 'ann', nonce, ...claims }),
      ...response,
    })
    const { client } = await start(oidc({ issuer: fake.origin, ...registration }))
    return client
  }

  const now = (): number => Math.floor(Date.now() / 1000)

  test.each<[string, () => Record<string, unknown>, boolean]>([
    ['20 seconds ahead', () => ({ nbf: now() + 20 }), true],
    ['20 seconds behind', () => ({ exp: now() - 20 }), true],
    ['two minutes ahead', () => ({ nbf: now() + 120 }), false],
    ['two minutes behind', () => ({ exp: now() - 120 }), false],
  ])('can have a clock that is %s', async (_clock, claims, isAccepted) => {
    const client = await begin(claims())
    expect((await client.logIn()).reached.searchParams.has('code')).toBe(isAccepted)
  })

  test.each([0, 120])('does not shorten a session by refresh_expires_in: %i', async (seconds) => {
    const client = await begin({}, { expires_in: 60, refresh_expires_in: seconds })
    const tokens = await client.logInForTokens()
    jest.useFakeTimers({ doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask', 'setInterval'] })
    jest.setSystemTime(Date.now() + 3_000_000)
    try {
      expect((await client.call(tokens.access_token)).status).toBe(200)
      expect((await client.refresh(tokens.refresh_token)).status).toBe(200)
    } finally {
      jest.useRealTimers()
    }
  })
})

test('Okta and Cognito: groups become roles, and a refresh token is requested where it has to be', async () => {
  const answer = (claims: object) => async (_request: TokenRequest, nonce: string) => ({
    access_token: 'jwt',
    token_type: 'Bearer',
    refresh_token: 'r',
    id_token: await fake.idToken({ iss: fake.origin, sub: 'ann', nonce, ...claims }),
  })
  fake.answerToken = answer({ groups: ['Everyone', 'Admins'] })
  const { client } = await start(okta({ issuer: fake.origin, ...registration }))
  expect((await who(client, (await client.logInForTokens()).access_token)).roles).toStrictEqual(['Everyone', 'Admins'])
  expect(fake.authorizations.at(-1)?.get('scope')).toContain('offline_access')

  fake.answerToken = answer({ 'cognito:groups': ['staff'], token_use: 'id' })
  const pool = cognito({ region: 'eu-central-1', userPoolId: 'eu-central-1_a', ...registration })
  expect(pool.server).toBe('https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_a')
  const { client: other } = await start({ ...pool, server: fake.origin })
  expect((await who(other, (await other.logInForTokens()).access_token)).roles).toStrictEqual(['staff'])
})
