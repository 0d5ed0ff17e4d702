import { entra, github, type LoginOptions, login, oidc } from '@toolwright/login'
import { anyOf, apiKeys, BootError, createHost, McpTool } from 'toolwright'
import { gaugesOf } from '../../../test/support/gauges.js'
import { closeServers, ProtectedServer, secret } from './support/protected-server.js'
import { RawClient } from './support/raw-client.js'

afterEach(closeServers)

class Tools {
  @McpTool({ description: 'Answers' })
  answer(): string {
    return 'done'
  }
}

const provider = github({ clientId: 'a', clientSecret: 'b' })
const good: LoginOptions = { url: 'https://mcp.example.com/mcp', secret, provider }

async function problemsOf(options: unknown): Promise<readonly string[]> {
  const authentication = login(options as LoginOptions)
  const starting = createHost({
    name: 'a',
    version: '1',
    controllers: [Tools],
    authentication,
    fastify: { logger: false },
  })
  const error: unknown = await starting.then(
    (host) => host.close(),
    (reason: unknown) => reason,
  )
  return error instanceof BootError ? error.diagnostics.map(({ message }) => message) : []
}

test('a valid login has no problems', async () => {
  expect(await problemsOf(good)).toStrictEqual([])
})

test.each([
  [{ ...good, url: 'mcp.example.com' }, 'login: url is'],
  [{ ...good, url: 'http://mcp.example.com/mcp' }, 'so tokens would travel unencrypted. Give an https: URL'],
  [{ ...good, url: 'https://mcp.example.com/mcp?x=1' }, 'has a user name, a query or a fragment'],
  [{ ...good, secret: 'short' }, 'login: secret has fewer than 32 characters'],
  [{ ...good, secret: undefined }, 'login: secret is not a string'],
  [{ ...good, secret: [secret, 'short'] }, 'login: secret has fewer than 32 characters'],
  [{ ...good, secret: [] }, 'login: secret is not a string'],
  [{ ...good, provider: {} }, 'login: provider is'],
  [{ ...good, provider: github({ clientId: '', clientSecret: undefined as never }) }, 'github: clientId is missing'],
  [
    { ...good, provider: oidc({ issuer: 'http://idp.example', clientId: 'a', clientSecret: 'b' }) },
    'oidc: the URL of the provider',
  ],
  [
    { ...good, provider: entra({ tenant: undefined as never, clientId: 'a', clientSecret: 'b' }) },
    'entra: tenant is missing',
  ],
  [
    { ...good, provider: entra({ tenant: 'common', clientId: 'a', clientSecret: 'b' }) },
    "entra: tenant is 'common', and tenants is empty",
  ],
  [{ ...good, scopes: ['a b'] }, "login: scopes has 'a b'"],
  [{ ...good, scopes: ['offline_access'] }, "login: scopes has 'offline_access'"],
  [{ ...good, clients: [{ id: 'a', redirectUris: ['http://evil.example'] }] }, "the client 'a' has the redirect URI"],
  [{ ...good, clients: [{ id: 'a' }] }, 'login: clients[0] is not a client'],
  [{ ...good, registration: true }, 'login: registration is true'],
  [{ ...good, accessSeconds: 1 }, 'login: accessSeconds is 1'],
  [{ ...good, store: {} }, 'login: store has no get, set, add, take'],
  [{ ...good, page: { logo: 'http://x' } }, 'login: page.logo is'],
  [{ ...good, page: { words: { titel: 'x' } } }, 'titel'],
  [{ ...good, redirect: [] }, 'login: redirect'],
  [null, 'login: its options'],
])('reports the options of case %#', async (options, message) => {
  const problems = await problemsOf(options)

  expect(problems.join('\n')).toContain(message)
  expect(problems.join('\n')).not.toContain(secret)
})

test('a second login in one application prevents the server from starting', async () => {
  const other = login({ ...good, url: 'https://mcp.example.com/other' })
  const starting = createHost({
    name: 'a',
    version: '1',
    controllers: [Tools],
    authentication: login(good),
    plugins: [async (app) => other.mountRoutes?.(app)],
    fastify: { logger: false },
  })

  await expect(starting).rejects.toThrow('One application can have one login')
})

test('a login with invalid options rejects every request', () => {
  const authenticator = login({ ...good, secret: 'short' })
  expect(() => authenticator.authenticate({ method: 'POST', url: '/mcp', headers: {} })).toThrow('not configured')
})

test('the log names the callback to register, and warns of logins in memory', async () => {
  const { logged, url } = await ProtectedServer.start()

  const text = JSON.stringify(logged)
  expect(text).toContain(`register the callback ${url.origin}/oauth/callback at Acme`)
  expect(text).toContain('a restart ends all logins')
})

test('metrics show tokens and entries, with their limits', async () => {
  const server = await ProtectedServer.start()
  const client = new RawClient(server.url)
  const { access_token: token } = await client.logInForTokens()
  await client.call(token)

  const { login_entries: entries, ...others } = gaugesOf(server.host.mcp, 'login')
  expect(others).toStrictEqual({
    login_entries_max: 200_000,
    login_tokens_remembered: 1,
    login_tokens_remembered_max: 10_000,
  })
  expect(entries).toBeGreaterThan(0)
})

test('users with a login and machines with keys share a server', async () => {
  const key = 'key-of-the-build-server'
  const server = await ProtectedServer.start({
    authentication: (options) => anyOf(login(options), apiKeys({ keys: [{ key, subject: 'build' }] })),
  })
  const client = new RawClient(server.url)
  const tokens = await client.logInForTokens()

  expect((await client.call(tokens.access_token)).status).toBe(200)
  expect((await fetch(server.url, { method: 'POST', headers: { 'x-api-key': key } })).status).not.toBe(401)
  expect((await client.call('other')).status).toBe(401)
})

test('a flood from one address is answered with 429', async () => {
  const server = await ProtectedServer.start()
  const get = async (): Promise<number> => (await fetch(`${server.url.origin}/.well-known/openid-configuration`)).status
  const statuses: number[] = []
  for (let round = 0; round < 13; round++) {
    // oxlint-disable-next-line no-await-in-loop
    statuses.push(...(await Promise.all(Array.from({ length: 100 }, get))))
  }

  expect(statuses.filter((status) => status === 200)).toHaveLength(1200)
  expect(statuses.at(-1)).toBe(429)
  // Other endpoints of the server are not affected.
  expect((await new RawClient(server.url).call('x')).status).toBe(401)
})
