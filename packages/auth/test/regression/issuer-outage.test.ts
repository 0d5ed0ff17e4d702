import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type Authenticator, type HostOptions, introspection, jwtBearer } from 'toolwright'
import { WebSocket } from 'ws'
import { outcomeOf, withToken } from '../support/authenticate.js'
import { passSeconds, startClocks, stopClocks, stopTimers, until } from '../support/clock.js'
import { audience, IdentityProvider } from '../support/identity-provider.js'
import { bearer, closeHosts, openProtectedHost } from '../support/protected-host.js'

// An outage of the issuer was answered with 401, so that clients threw away valid tokens. One failed fetch then locked out all
// callers for 30 seconds.

let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
})

afterEach(async () => {
  startClocks()
  await closeHosts()
  await provider.stop()
})

const withUrl = (): Authenticator => jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience })
const withDiscovery = (): Authenticator => jwtBearer({ issuer: provider.issuer, audience })
const credentials = { clientId: 'mcp', clientSecret: 'secret' }
const withEndpoint = (): Authenticator =>
  introspection({ issuer: provider.issuer, endpoint: `${provider.issuer}/introspect`, audience, ...credentials })
const withoutEndpoint = (): Authenticator => introspection({ issuer: provider.issuer, audience, ...credentials })

const kinds: [string, () => Authenticator][] = [
  ['keys', withUrl],
  ['discovered keys', withDiscovery],
  ['introspection', withEndpoint],
  ['discovered introspection', withoutEndpoint],
]

const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who' } })

interface Seen {
  readonly status: number
  readonly challenge: unknown
  readonly retryAfter: unknown
}

async function request(
  authentication: Authenticator,
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  options: Partial<HostOptions> = {},
): Promise<Seen> {
  const { app } = await openProtectedHost(authentication, options)
  const response = await app.inject({
    method,
    url,
    headers: {
      host: 'localhost',
      accept: 'application/json, text/event-stream',
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...bearer(await provider.sign()),
    },
    ...(method === 'POST' ? { payload: call } : {}),
  })
  const { headers, statusCode: status } = response
  return { status, challenge: headers['www-authenticate'], retryAfter: headers['retry-after'] }
}

const unavailable: Seen = { status: 503, challenge: undefined, retryAfter: '1' }

test.each(kinds)('an outage of the issuer is 503 without a challenge: %s', async (_kind, create) => {
  provider.answer = (_request, response) => response.writeHead(500).end()
  expect(await request(create(), 'POST', '/mcp')).toEqual(unavailable)
})

test.each<[string, IdentityProvider['answer']]>([
  ['404', (_request, response) => response.writeHead(404).end()],
  ['429', (_request, response) => response.writeHead(429).end()],
  ['HTML', (_request, response) => response.end('<html>')],
  ['a reset', ({ socket }) => socket.resetAndDestroy()],
  [
    'a redirect to another origin',
    (_request, response) => response.writeHead(302, { location: 'https://a.example' }).end(),
  ],
  ['more than 512 KiB', (_request, response) => response.end('x'.repeat(600_000))],
])('an issuer that answers with %s is unavailable', async (_what, answer) => {
  provider.answer = answer
  expect(await request(withUrl(), 'POST', '/mcp')).toEqual(unavailable)
})

test.each<['GET' | 'POST' | 'DELETE', string]>([
  ['GET', '/mcp'],
  ['DELETE', '/mcp'],
  ['GET', '/sse'],
  ['POST', '/messages?sessionId=1'],
  ['POST', '/rpc'],
  ['GET', '/ws'],
])('an outage of the issuer is 503 on every route: %s %s', async (method, url) => {
  provider.answer = (_request, response) => response.writeHead(500).end()
  const options = { legacySse: true, rpc: true, webSocket: true }
  expect(await request(withUrl(), method, url, options)).toEqual(unavailable)
})

test('an upgrade to WebSocket is rejected with 503 while the issuer is unavailable', async () => {
  provider.answer = (_request, response) => response.writeHead(500).end()
  const { app } = await openProtectedHost(withUrl(), { webSocket: true })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: bearer(await provider.sign()) })
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, ServerResponse & { headers: object }]
  expect(response).toMatchObject({ statusCode: 503, headers: { 'retry-after': '1' } })
  socket.on('error', () => undefined)
  socket.terminate()
})

test('tokens that are certainly invalid stay rejected with 401 during an outage', async () => {
  provider.answer = (_request, response) => response.writeHead(500).end()
  const outcomes = await Promise.all(
    ['opaque', await provider.sign({ iss: 'https://other.example' }), await provider.sign({}, { typ: 'dpop+jwt' })].map(
      (token) => outcomeOf(withUrl(), withToken(token)),
    ),
  )
  for (const outcome of outcomes) expect(outcome).toMatch(/^rejected/)
})

test.each(kinds.slice(0, 2))(
  'a service that starts before its issuer accepts tokens a second later: %s',
  async (_kind, create) => {
    stopClocks()
    const authenticator = create()
    const { answer } = provider
    provider.answer = (_request, response) => response.writeHead(503).end()
    const token = withToken(await provider.sign())
    expect(await outcomeOf(authenticator, token)).toMatch(/^unavailable/)
    provider.answer = (message, response) =>
      message.url === '/keys'
        ? answer(message, response)
        : response.end(JSON.stringify({ issuer: provider.issuer, jwks_uri: provider.jwks }))
    passSeconds(1)
    expect(await outcomeOf(authenticator, token)).toBe('alice')
  },
)

test.each<[string, string, number, number]>([
  ['seconds', '45', 429, 45],
  ['a date', new Date(Date.UTC(2026, 0, 1, 0, 0, 30)).toUTCString(), 503, 30],
  ['more than a minute', '3600', 429, 60],
])('a wait that the issuer demands is kept and passed on: %s', async (_what, retryAfter, status, seconds) => {
  stopClocks()
  provider.answer = (_request, response) => response.writeHead(status, { 'retry-after': retryAfter }).end()
  for (const create of [withUrl, withEndpoint, withDiscovery]) {
    const host = await openProtectedHost(create())
    const ask = async (): Promise<number> => {
      const headers = { ...bearer(await provider.sign({ jti: String(Math.random()) })), host: 'localhost' }
      const response = await host.app.inject({ method: 'POST', url: '/mcp', payload: call, headers })
      expect(response.statusCode).toBe(503)
      return Number(response.headers['retry-after'])
    }
    const before = provider.fetches
    expect([await ask(), await ask(), await ask()]).toEqual([seconds, seconds, seconds])
    expect(provider.fetches - before).toBe(create === withDiscovery ? 2 : 1)
  }
})

test('a well-known URL that hangs does not stop discovery', async () => {
  stopTimers()
  const requests: string[] = []
  const { answer } = provider
  provider.answer = (message, response) => {
    requests.push(message.url ?? '')
    if (message.url === '/keys') answer(message, response)
    else if (message.url === '/.well-known/openid-configuration')
      response.end(JSON.stringify({ issuer: provider.issuer, jwks_uri: provider.jwks }))
  }
  const outcome = outcomeOf(withDiscovery(), withToken(await provider.sign()))
  await until(() => requests.length === 1)
  passSeconds(2.5)
  expect(await outcome).toBe('alice')
})

test.each(['[]', 'null', '"x"', '5'])('an introspection response of %s is a failure of the endpoint', async (body) => {
  provider.answer = (_request, response) => response.end(body)
  expect(await request(withEndpoint(), 'POST', '/mcp')).toEqual(unavailable)
})

test.each([
  ['SDK 1', Client1, Http1],
  ['client 2', Client2, Http2],
] as const)('official clients keep their tokens during an outage: %s', async (_name, Client, Transport) => {
  const paths: string[] = []
  provider.answer = (message, response) => {
    paths.push(message.url ?? '')
    response.writeHead(500).end()
  }
  const { app } = await openProtectedHost(withUrl())
  const url = new URL('/mcp', await app.listen({ host: '127.0.0.1', port: 0 }))
  const token = await provider.sign()
  const changes = { saveTokens: jest.fn(), redirectToAuthorization: jest.fn(), invalidateCredentials: jest.fn() }
  const authProvider = {
    ...changes,
    redirectUrl: 'http://127.0.0.1:9/callback',
    clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'] },
    clientInformation: () => ({ client_id: 'app' }),
    tokens: () => ({ access_token: token, token_type: 'Bearer', refresh_token: 'refresh' }),
    saveCodeVerifier: () => undefined,
    codeVerifier: () => 'verifier',
  }
  const client = new Client({ name: 'test', version: '1' })
  await expect(client.connect(new Transport(url, { authProvider }) as never)).rejects.toThrow(/503|unavailable/)
  await client.close()
  expect([...new Set(paths)]).toEqual(['/keys'])
  for (const change of Object.values(changes)) expect(change).not.toHaveBeenCalled()
})
