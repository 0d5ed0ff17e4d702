import { gaugesOf } from '../../../test/support/gauges.js'
import { FakeBrowser, PageShown } from './support/browser.js'
import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient } from './support/raw-client.js'

afterEach(closeServers)

async function clientOf(redirectUri?: string, options = {}): Promise<RawClient> {
  const { url } = await ProtectedServer.start(options)
  return new RawClient(url, redirectUri)
}

describe('registration of clients', () => {
  test.each([
    'http://127.0.0.1:33418/',
    'http://localhost:3334/oauth/callback',
    'http://[::1]:5000/cb',
    'https://claude.ai/api/mcp/auth_callback',
    'https://vscode.dev/redirect',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'com.example.app:/callback',
  ])('accepts the redirect URI %s', async (uri) => {
    const client = await clientOf(uri)

    const { status, body } = await client.register()

    expect(status).toBe(201)
    expect(body).toMatchObject({ redirect_uris: [uri], token_endpoint_auth_method: 'none' })
    expect(body).not.toHaveProperty('client_secret')
    expect(Object.values(body)).not.toContain(null)
    const { reached } = await client.logIn()
    expect(reached.searchParams.get('code')).not.toBe('')
  })

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'about:blank',
    'http://192.168.1.5/callback',
    'http://evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'https://user:pass@client.example/callback',
    'https://client.example/callback#fragment',
    'https://client.example/a/../callback',
    'https://client.example/a/%2e%2e/callback',
    'https://client.example\\@evil.example/callback',
    'https://client.example/call back',
    ' javascript:alert(1)',
    'callback',
    '',
  ])('rejects the redirect URI %j', async (uri) => {
    const client = await clientOf(uri)

    const { status, body } = await client.register()

    expect(status).toBe(400)
    expect(body['error']).toBe('invalid_redirect_uri')
  })

  test('ignores unknown members, `null`, scopes and the application type, and answers without them', async () => {
    const client = await clientOf('http://localhost:1234/callback')

    const { status, body } = await client.register({
      contacts: null,
      logo_uri: 'https://evil.example/logo.png',
      resource: 'https://other.example',
      application_type: 'web',
      scope: 'users:read',
      grant_types: ['authorization_code'],
    })

    expect(status).toBe(201)
    expect(Object.keys(body).toSorted()).toStrictEqual([
      'application_type',
      'client_id',
      'client_id_issued_at',
      'grant_types',
      'redirect_uris',
      'response_types',
      'token_endpoint_auth_method',
    ])
    expect((await client.logInForTokens({ scope: 'users:write' })).scope).toBe('users:write')
  })

  test.each(['client_secret_basic', 'client_secret_post'])(
    'gives a client with %s a secret that works',
    async (method) => {
      const client = await clientOf()
      await client.register({ token_endpoint_auth_method: method })
      const { secret } = client
      expect(secret).toMatch(/^[\w-]{43}$/)
      const { code, verifier } = await client.logIn()

      client.secret = 'a'.repeat(43)
      expect(await client.exchange(code, verifier)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      client.secret = secret
      expect((await client.exchange(code, verifier)).status).toBe(200)
    },
  )

  test('accepts a secret in the header and in the form at once, encoded as the specification says', async () => {
    const client = await clientOf()
    await client.register({ token_endpoint_auth_method: 'client_secret_basic' })
    const { code, verifier } = await client.logIn()
    const encoded = Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(String(client.secret))}`)

    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: client.redirectUri }
    const answer = await client.token(form, { authorization: `Basic ${encoded.toString('base64')}` })

    expect(answer.status).toBe(200)
  })

  test.each([
    { redirect_uris: 'x' },
    { redirect_uris: [] },
    { redirect_uris: [1] },
    { token_endpoint_auth_method: 'tls_client_auth' },
  ])('rejects %j', async (metadata) => {
    const client = await clientOf()
    expect((await client.register(metadata)).status).toBe(400)
  })

  test.each([
    ['[]', 'application/json'],
    ['{', 'application/json'],
    ['x=1', 'application/x-www-form-urlencoded'],
    [`{"client_name":"${'x'.repeat(70_000)}"}`, 'application/json'],
  ])('rejects the body %.20s of the type %s', async (body, type) => {
    const { url } = await ProtectedServer.start()

    const response = await fetch(`${url.origin}/register`, { method: 'POST', headers: { 'content-type': type }, body })

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'invalid_request' })
  })

  test('a flood of registrations stores nothing', async () => {
    const server = await ProtectedServer.start()
    const client = new RawClient(server.url)
    const entries = () => gaugesOf(server.host.mcp, 'login_entries')
    const before = entries()

    await Promise.all(Array.from({ length: 50 }, () => client.register()))

    expect(entries()).toStrictEqual(before)
  })

  test('a client id works at a server that never saw its registration, and after a rotation of the secret', async () => {
    const client = await clientOf()
    await client.register()
    await closeServers()
    const next = await ProtectedServer.start({
      secret: ['a new secret that is long enough too', 'a secret of the tests that is long enough'],
    })
    const same = new RawClient(next.url)
    same.id = client.id

    const tokens = await same.logInForTokens()

    expect((await same.call(tokens.access_token)).status).toBe(200)
  })

  test.each(['x', 'tw1.', 'tw1.e30.x', 'https://', '__proto__'])(
    'an unknown client id %j gets 401 at /token, and a page',
    async (id) => {
      const client = await clientOf()
      client.id = id

      expect(await client.exchange('x', 'x')).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      await expect(new FakeBrowser().logIn(client.authorization().url)).rejects.toThrow(PageShown)
      await expect(new FakeBrowser().logIn(client.authorization().url)).rejects.toThrow(
        'does not know your app any more',
      )
    },
  )

  test('a forged client id, with another redirect URI, is unknown', async () => {
    const client = await clientOf()
    await client.register()
    const [prefix, payload, signature] = client.id.split('.')
    const changed = Buffer.from(String(payload), 'base64url').toString().replace('127.0.0.1', 'localhost')
    client.id = [prefix, Buffer.from(changed).toString('base64url'), signature].join('.')

    expect((await client.exchange('x', 'x')).status).toBe(401)
  })

  test('a registered client may use any port of the machine, and nothing else', async () => {
    const client = await clientOf('http://localhost:33418/callback')
    await client.register()

    const { reached } = await client.logIn({ redirect_uri: 'http://localhost:54321/callback' })
    expect(reached.port).toBe('54321')

    for (const uri of [
      'http://127.0.0.1:33418/callback',
      'http://localhost:33418/other',
      'http://localhost:33418/callback?x=1',
      'https://localhost:33418/callback',
      'http://localhost:33418@evil.example/callback',
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await fetch(client.authorization({ redirect_uri: uri }).url, { redirect: 'manual' })
      expect([uri, response.status, response.headers.get('location')]).toStrictEqual([uri, 400, null])
    }
  })

  test('accepts only the redirect URIs that the server allows', async () => {
    const redirects = ['https://claude.ai/*/*/auth_callback', 'http://localhost/*', 'cursor://*/oauth/callback']
    const { url } = await ProtectedServer.start({ redirects })
    const statusOf = async (uri: string): Promise<number> => (await new RawClient(url, uri).register()).status

    expect(await statusOf('https://claude.ai/api/mcp/auth_callback')).toBe(201)
    expect(await statusOf('http://localhost:123/callback')).toBe(201)
    expect(await statusOf('cursor://anysphere.cursor-mcp/oauth/callback')).toBe(201)
    expect(await statusOf('https://claude.ai.evil.example/api/mcp/auth_callback')).toBe(400)
    expect(await statusOf('https://claude.ai/api/mcp/auth_callback?x')).toBe(400)
    expect(await statusOf('https://evil.example/')).toBe(400)
  })

  test('a client of the operator needs no registration, and a secret if it has one', async () => {
    const clients = [
      { id: 'cursor', name: 'Cursor', redirectUris: ['cursor://anysphere.cursor-mcp/oauth/callback'] },
      { id: 'backend', secret: 'the secret of the backend', redirectUris: ['https://backend.example/callback'] },
    ]
    const { url } = await ProtectedServer.start({ clients, registration: false })
    const cursor = new RawClient(url, 'cursor://anysphere.cursor-mcp/oauth/callback')
    cursor.id = 'cursor'
    expect((await cursor.call((await cursor.logInForTokens()).access_token)).status).toBe(200)

    const backend = new RawClient(url, 'https://backend.example/callback')
    backend.id = 'backend'
    const { code, verifier } = await backend.logIn()
    expect((await backend.exchange(code, verifier)).status).toBe(401)
    backend.secret = 'the secret of the backend'
    expect((await backend.exchange(code, verifier)).status).toBe(200)
  })
})
