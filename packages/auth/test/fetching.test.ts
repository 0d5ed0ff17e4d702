import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { introspection, jwtBearer } from 'toolwright'
import { authenticate, outcomeOf, withToken } from './support/authenticate.js'
import { passSeconds, startClocks, stopTimers, until } from './support/clock.js'
import { audience, IdentityProvider } from './support/identity-provider.js'

let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
})

afterEach(async () => {
  startClocks()
  await provider.stop()
})

/** Authenticates with a valid token, which fetches the keys from the issuer. */
async function outcome(): Promise<string | null> {
  const { issuer, jwks } = provider
  return outcomeOf(jwtBearer({ issuer, jwks, audience }), withToken(await provider.sign()))
}

function failed(reason: string): string {
  return `unavailable: the keys of ${provider.jwks} could not be fetched: Error: ${reason}`
}

/** The keys as JSON, padded to this number of bytes. */
function keysOf(bytes: number): string {
  return JSON.stringify({ keys: [provider.key.jwk] }).padEnd(bytes)
}

const most = 512 * 1024

test.each([
  ['uncompressed', {}, (text: string) => text],
  ['compressed', { 'content-encoding': 'gzip' }, (text: string) => gzipSync(text)],
])('a response %s can have exactly 512 KiB, and not a byte more', async (_how, headers, write) => {
  const outcomes: (string | null)[] = []
  for (const bytes of [most, most + 1]) {
    provider.answer = (_request, response) => response.writeHead(200, headers).end(write(keysOf(bytes)))
    // oxlint-disable-next-line no-await-in-loop
    outcomes.push(await outcome())
  }
  expect(outcomes).toEqual(['alice', failed('the response has more than 524288 bytes')])
})

test.each([201, 203, 206, 300, 304])('keys with the status %i are rejected', async (status) => {
  provider.answer = (_request, response) => response.writeHead(status, { location: '/moved' }).end(keysOf(0))
  expect(await outcome()).toBe(failed(`the status is ${status}`))
  expect(provider.fetches).toBe(1)
})

test.each([301, 302, 303, 307, 308])('a redirect with the status %i is followed', async (status) => {
  const { answer } = provider
  provider.answer = (request, response) =>
    request.url === '/moved' ? answer(request, response) : response.writeHead(status, { location: 'moved' }).end()
  expect(await outcome()).toBe('alice')
})

test('three redirects are followed, and a fourth is not', async () => {
  const { answer } = provider
  const outcomes: unknown[] = []
  for (const last of ['/3', '/4']) {
    provider.answer = (request, response) => {
      const { url = '' } = request
      const next = url === '/keys' ? 1 : Number(url.slice(1)) + 1
      if (url === last) answer(request, response)
      else response.writeHead(302, { location: `/${next}` }).end()
    }
    const before = provider.fetches
    // oxlint-disable-next-line no-await-in-loop
    outcomes.push(await outcome(), provider.fetches - before)
  }
  expect(outcomes).toEqual(['alice', 4, failed(`${provider.issuer} redirects more than 3 times`), 4])
})

test.each<[string, (issuer: string) => string, string]>([
  ['with another scheme', (issuer) => issuer.replace('http:', 'https:'), 'to another origin'],
  ['with a user name', (issuer) => issuer.replace('//', '//user@'), 'to a URL with a password'],
  ['with only a password', (issuer) => issuer.replace('//', '//:secret@'), 'to a URL with a password'],
])('a redirect to a URL %s is not followed', async (_which, change, reason) => {
  const { issuer } = provider
  const location = `${change(issuer)}/moved`
  provider.answer = (_request, response) => response.writeHead(302, { location }).end()
  expect(await outcome()).toBe(failed(`${issuer} redirects ${reason}`))
})

test.each<[string, IdentityProvider['answer'], number]>([
  ['resets the connection', ({ socket }) => socket.resetAndDestroy(), 2],
  ['closes the connection', ({ socket }) => socket.end(), 2],
  ['answers no HTTP', ({ socket }) => socket.end('no HTTP'), 1],
  ['responds with an error', (_request, response) => response.writeHead(500).end(), 1],
])('only a lost connection is retried: an issuer that %s', async (_what, answer, requests) => {
  provider.answer = answer
  expect(await outcome()).toMatch(/^unavailable: the keys of .* could not be fetched/)
  expect(provider.fetches).toBe(requests)
})

test('a port that fetch blocks is reported like any other failure', async () => {
  const jwks = 'http://127.0.0.1:1/keys'
  const authenticator = jwtBearer({ issuer: provider.issuer, jwks, audience })
  const reason = 'could not be fetched: Error: it cannot be reached: fetch failed'
  expect(await outcomeOf(authenticator, withToken(await provider.sign()))).toContain(reason)
})

test.each([
  ['status', 503, {}],
  ['redirect', 302, { location: 'https://evil.example/keys' }],
])(
  'the body of a response that is rejected for its %s is not read, and its connection is closed',
  async (_what, status, headers) => {
    // Keeps the spied calls: without the abort, the timeout or the garbage collector would end the connection.
    stopTimers()
    jest.spyOn(globalThis, 'fetch')
    const closed = new Promise<void>((resolve) => {
      provider.answer = (_request, response) => {
        response.once('close', resolve)
        response.writeHead(status, headers).write('there is more to come')
      }
    })
    expect(await outcome()).toMatch(/^unavailable: the keys of .* could not be fetched/)
    await closed
  },
)

test('an introspection request times out after five seconds', async () => {
  stopTimers()
  provider.answer = () => undefined
  const { issuer } = provider
  const client = { clientId: 'mcp', clientSecret: 'secret' }
  const authenticator = introspection({ issuer, endpoint: `${issuer}/introspect`, audience, ...client })
  const asked = authenticate(authenticator, withToken('opaque')).catch((error: unknown) => error)
  await until(() => provider.fetches === 1)
  passSeconds(5)
  expect(await asked).toMatchObject({ kind: 'unavailable', cause: { name: 'TimeoutError' } })
})

test('an introspection request sends the token as a form and accepts JSON', async () => {
  const requests: IncomingMessage[] = []
  const { issuer, jwks } = provider
  const { answer } = provider
  provider.answer = (request, response) => {
    requests.push(request)
    if (request.method === 'POST') response.end('{"active":false}')
    else answer(request, response)
  }
  const client = { clientId: 'mcp', clientSecret: 'secret' }
  await outcomeOf(jwtBearer({ issuer, jwks, audience }), withToken(await provider.sign()))
  await outcomeOf(introspection({ issuer, endpoint: `${issuer}/introspect`, audience, ...client }), withToken('a'))
  const seen = requests.map(({ method, headers }) => [method, headers.accept, headers['content-type']])
  expect(seen).toEqual([
    ['GET', 'application/json, application/jwk-set+json', undefined],
    ['POST', 'application/json', 'application/x-www-form-urlencoded;charset=UTF-8'],
  ])
})
