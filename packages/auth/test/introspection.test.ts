import type { IncomingMessage, ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { type IntrospectionOptions, introspection } from 'toolwright'
import { authenticate, principalOf, withToken } from './support/authenticate.js'
import { passSeconds, stopClocks } from './support/clock.js'
import { audience, IdentityProvider } from './support/identity-provider.js'
import { bearer, callWho, closeHosts, openProtectedHost } from './support/protected-host.js'

let provider: IdentityProvider
let asked: { readonly authorization: string | undefined; readonly form: string }[]
/** Responses of the introspection endpoint, by token. */
let tokens: Record<string, object>

beforeEach(async () => {
  provider = await IdentityProvider.start()
  asked = []
  tokens = {}
  provider.answer = (request, response) => void introspect(request, response)
  stopClocks()
})

afterEach(async () => {
  jest.useRealTimers()
  await closeHosts()
  await provider.stop()
})

async function introspect(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = await read(request)
  asked.push({ authorization: request.headers.authorization, form })
  response.end(JSON.stringify(tokens[new URLSearchParams(form).get('token') ?? ''] ?? { active: false }))
}

async function read(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

function create(options: Partial<IntrospectionOptions> = {}) {
  const { issuer } = provider
  const client = { clientId: 'mcp server', clientSecret: 'a:b%c' }
  return introspection({ endpoint: `${issuer}/introspect`, issuer, audience, ...client, ...options })
}

const cutAnswer: IdentityProvider['answer'] = ({ socket }, response) => {
  response.writeHead(200, { 'content-length': 100 }).write('{"a":"secret')
  setTimeout(() => socket.destroy(), 20)
}

const now = (): number => Math.floor(Date.now() / 1000)

const active = (more: object = {}): object => ({ active: true, sub: 'alice', aud: audience, exp: now() + 300, ...more })

test('the endpoint is asked for each token, and its response is cached for 30 seconds', async () => {
  tokens['opaque'] = active({ scope: 'tools:read tools:write', roles: ['Admin'] })
  const authenticator = create()
  const expected = {
    subject: 'alice',
    roles: ['Admin'],
    scopes: ['tools:read', 'tools:write'],
    claims: { ...tokens['opaque'], iss: provider.issuer },
    expiresAt: now() + 330,
  }
  expect(await principalOf(authenticator, withToken('opaque'))).toEqual(expected)
  passSeconds(29)
  expect(await principalOf(authenticator, withToken('opaque'))).toEqual(expected)
  const credentials = Buffer.from('mcp+server:a%3Ab%25c').toString('base64')
  expect(asked).toEqual([{ authorization: `Basic ${credentials}`, form: 'token=opaque&token_type_hint=access_token' }])
  tokens = {}
  passSeconds(1)
  expect(await authenticate(authenticator, withToken('opaque'))).toBe('rejected: not active')
})

test.each<[string, string, () => object]>([
  ['inactive', 'rejected: not active', () => ({ active: false })],
  ['inactive, with additional members', 'rejected: not active', () => active({ active: 'true' })],
  [
    'for another audience',
    'rejected: issued for another audience: ["https://other.example.com"]',
    () => active({ aud: ['https://other.example.com'] }),
  ],
  ['for no audience', 'rejected: issued for another audience: missing', () => active({ aud: undefined })],
  [
    'of another issuer',
    'rejected: issued by another issuer: "https://evil.example"',
    () => active({ iss: 'https://evil.example' }),
  ],
  ['expired', 'rejected: expired', () => active({ exp: now() - 30 })],
  ['with an expiry that is not a number', 'rejected: exp is not a number', () => active({ exp: 'never' })],
  ['not valid yet', 'rejected: not valid yet', () => active({ nbf: now() + 31 })],
  ['not valid yet, with a string as nbf', 'rejected: nbf is not a number', () => active({ nbf: String(now() - 31) })],
  ['without a subject', 'rejected: no subject', () => active({ sub: '' })],
  [
    'bound to a key, without a proof',
    'rejected: a DPoP-bound token was sent as a bearer token',
    () => active({ cnf: { jkt: 'x' } }),
  ],
  [
    'bound in an unsupported way',
    'rejected: bound to a key or certificate that this server cannot check',
    () => active({ cnf: null }),
  ],
])('a token that is %s is rejected', async (_name, outcome, answer) => {
  tokens['opaque'] = answer()
  expect(await authenticate(create(), withToken('opaque'))).toBe(outcome)
})

test.each<[string, () => object]>([
  ['for several audiences', () => active({ aud: ['https://other.example.com', audience] })],
  ['valid by the clock of its issuer, which is fast', () => active({ nbf: now() + 30 })],
  ['valid by the clock of its issuer, which is slow', () => active({ exp: now() - 29 })],
])('a token that is %s is accepted', async (_name, answer) => {
  tokens['opaque'] = answer()
  expect(await authenticate(create(), withToken('opaque'))).toBe('alice')
})

test('a token without an audience is accepted if the issuer only issues tokens for this server', async () => {
  tokens['opaque'] = active({ aud: undefined })
  tokens['foreign'] = active({ aud: 'https://other.example.com', sub: 'bob' })
  const authenticator = create({ audience: false, resource: audience })
  expect(await authenticate(authenticator, withToken('opaque'))).toBe('alice')
  expect(await authenticate(authenticator, withToken('foreign'))).toBe('bob')
})

test('the rejection of an invalid token is cached for ten seconds', async () => {
  const authenticator = create()
  for (let count = 0; count < 5; count++) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await authenticate(authenticator, withToken('guessed'))).toBe('rejected: not active')
  }
  expect(asked).toHaveLength(1)
  passSeconds(10)
  await authenticate(authenticator, withToken('guessed'))
  expect(asked).toHaveLength(2)
})

test('a cached rejection keeps its reason', async () => {
  tokens['foreign'] = active({ aud: 'https://other.example.com' })
  tokens['old'] = active({ exp: now() - 60 })
  const authenticator = create()
  const outcomes: (string | null)[] = []
  for (const token of ['foreign', 'foreign', 'old', 'old']) {
    // oxlint-disable-next-line no-await-in-loop
    outcomes.push(await authenticate(authenticator, withToken(token)))
  }
  const [foreign, old] = ['rejected: issued for another audience: "https://other.example.com"', 'rejected: expired']
  expect([outcomes, asked.length]).toEqual([[foreign, foreign, old, old], 2])
})

test('concurrent requests with one token share one introspection request', async () => {
  tokens['opaque'] = active()
  const authenticator = create()
  const outcomes = await Promise.all([1, 2, 3].map(() => authenticate(authenticator, withToken('opaque'))))
  expect(outcomes).toEqual(['alice', 'alice', 'alice'])
  expect(asked).toHaveLength(1)
})

test('while the endpoint is unavailable, callers get 503 and cached tokens stay valid', async () => {
  tokens['opaque'] = active()
  const host = await openProtectedHost(create())
  expect(await callWho(host, bearer('opaque'))).toMatchObject({ status: 200 })
  provider.answer = (_request, response) => response.writeHead(500).end()
  expect(await callWho(host, bearer('opaque'))).toMatchObject({ status: 200 })
  const answer = await callWho(host, bearer('another'))
  expect(answer).toMatchObject({ status: 503, challenge: undefined })
  expect(JSON.parse(answer.text)).toMatchObject({
    error: { message: 'Token verification is temporarily unavailable. Try again in 1 s', data: { retryAfterMs: 1000 } },
  })
})

test.each<[string, string, IdentityProvider['answer']]>([
  [
    'the endpoint rejects the client secret',
    'the status is 401: the endpoint rejected the credentials of this server',
    (_request, response) => response.writeHead(401).end('secret'),
  ],
  ['the response is not JSON', 'the response is not JSON', (_request, response) => response.end('another secret')],
  [
    'the response is not an object',
    'the response is not a JSON object',
    (_request, response) => response.end('"secret"'),
  ],
  ['the response is null', 'the response is not a JSON object', (_request, response) => response.end('null')],
  ['the connection closes', 'it cannot be reached: UND_ERR_SOCKET', ({ socket }) => socket.end()],
  [
    'the response is not HTTP',
    'it cannot be reached: (HPE_INVALID_CONSTANT|fetch failed)',
    ({ socket }) => socket.end('the secret'),
  ],
  ['the connection closes within the response', 'it cannot be reached: UND_ERR_SOCKET', cutAnswer],
])('a failed introspection is logged with its reason, without the response: %s', async (_name, reason, answer) => {
  provider.answer = answer
  const authenticator = create()
  const error: unknown = await authenticate(authenticator, withToken('another')).catch((thrown: unknown) => thrown)
  expect(inspect(error, { depth: Infinity })).not.toContain('secret')
  const host = await openProtectedHost(authenticator)
  expect(await callWho(host, bearer('another'))).toMatchObject({ status: 503 })
  const rejected = host.lines.filter((line) => line.includes('credentials could not be checked'))
  expect(rejected.map((line) => JSON.parse(line).reason)).toEqual([expect.stringMatching(`Error: ${reason}$`)])
  expect(host.lines.join()).not.toContain('secret')
})

test('a request is retried after a lost connection', async () => {
  tokens['opaque'] = active()
  provider.loseNextRequest()
  expect(await authenticate(create(), withToken('opaque'))).toBe('alice')
  expect(provider.fetches).toBe(2)
})

test('the number of concurrent introspection requests is limited', async () => {
  tokens['a'] = active()
  tokens['b'] = active()
  const host = await openProtectedHost(create({ maxConcurrent: 1 }))
  const statuses = await Promise.all(['a', 'b'].map(async (token) => (await callWho(host, bearer(token))).status))
  expect(statuses).toEqual([200, 503])
  expect(await callWho(host, bearer('b'))).toMatchObject({ status: 200 })
})

test('the client secret is not sent on redirects', async () => {
  provider.answer = (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end()
  await expect(authenticate(create(), withToken('opaque'))).rejects.toThrow(
    'Token verification is temporarily unavailable',
  )
  expect(provider.fetches).toBe(1)
})

describe('introspection without an endpoint', () => {
  /** The metadata that the issuer publishes. */
  let metadata: object | null
  let discoveries: number
  /** The paths that received introspection requests. */
  let paths: string[]

  beforeEach(() => {
    const { issuer } = provider
    metadata = { issuer, introspection_endpoint: `${issuer}/introspect` }
    discoveries = 0
    paths = []
    provider.answer = (request, response) => {
      const { method, url = '' } = request
      if (method === 'POST') {
        paths.push(url)
        void introspect(request, response)
        return
      }
      discoveries++
      if (metadata === null) response.writeHead(404).end()
      else response.end(JSON.stringify(metadata))
    }
  })

  test('discovers the endpoint once, from the metadata of the issuer', async () => {
    tokens['a'] = active()
    tokens['b'] = active({ sub: 'bob' })
    const authenticator = create({ endpoint: undefined })
    expect(discoveries).toBe(0)
    const outcomes = await Promise.all(['a', 'b'].map((token) => authenticate(authenticator, withToken(token))))
    expect(outcomes).toEqual(['alice', 'bob'])
    passSeconds(599)
    expect(await authenticate(authenticator, withToken('a'))).toBe('rejected: expired')
    expect([discoveries, asked.length]).toEqual([1, 3])
  })

  test('keeps using the known endpoint while the metadata is unavailable', async () => {
    tokens['a'] = active({ exp: now() + 24 * 3600 })
    const authenticator = create({ endpoint: undefined, cache: { ttlSeconds: 0 } })
    await authenticate(authenticator, withToken('a'))
    metadata = null
    passSeconds(4200)
    expect(await authenticate(authenticator, withToken('a'))).toBe('alice')
    expect(paths).toEqual(['/introspect', '/introspect'])
  })

  test('follows a changed endpoint when the metadata is refreshed after ten minutes', async () => {
    const { issuer } = provider
    tokens['a'] = active({ exp: now() + 24 * 3600 })
    const authenticator = create({ endpoint: undefined, cache: { ttlSeconds: 0 } })
    await authenticate(authenticator, withToken('a'))
    metadata = { issuer, introspection_endpoint: `${issuer}/elsewhere` }
    passSeconds(601)
    while (paths.at(-1) !== '/elsewhere') {
      // oxlint-disable-next-line no-await-in-loop
      expect(await authenticate(authenticator, withToken('a'))).toBe('alice')
    }
    expect(discoveries).toBe(2)
  })

  test('rejects callers with 503 while discovery fails, logs the reason, and limits retries', async () => {
    tokens['a'] = active()
    metadata = { issuer: 'https://evil.example', introspection_endpoint: `${provider.issuer}/introspect` }
    const host = await openProtectedHost(create({ endpoint: undefined }))
    for (let count = 0; count < 5; count++) {
      // oxlint-disable-next-line no-await-in-loop
      const answer = await callWho(host, bearer('a'))
      expect(answer).toMatchObject({ status: 503, challenge: undefined })
      expect(answer.text).not.toContain('evil.example')
    }
    expect([discoveries, asked]).toEqual([2, []])
    const lines = host.lines.map((line) => JSON.parse(line) as { msg: string; level: number; reason?: string })
    const place = `${provider.issuer}/.well-known/oauth-authorization-server`
    expect(lines.filter(({ msg }) => msg.includes('credentials'))).toEqual(
      Array.from({ length: 5 }, () =>
        expect.objectContaining({
          level: 40,
          msg: 'request rejected: credentials could not be checked',
          reason: expect.stringContaining(
            `Error: ${place}: Error: issuer is the string 'https://evil.example' instead of `,
          ),
        }),
      ),
    )
    metadata = { issuer: provider.issuer, introspection_endpoint: `${provider.issuer}/introspect` }
    passSeconds(30)
    expect(await callWho(host, bearer('a'))).toMatchObject({ status: 200 })
  })

  test.each(['http://login.example.com/introspect', '/introspect', undefined])(
    'does not send the secret to %s',
    async (endpoint) => {
      metadata = { issuer: provider.issuer, introspection_endpoint: endpoint }
      const asking = authenticate(create({ endpoint: undefined }), withToken('a'))
      await expect(asking).rejects.toThrow('Token verification is temporarily unavailable')
      expect(asked).toEqual([])
    },
  )
})

test('a token without exp has no expiry, and is cached like others', async () => {
  tokens['opaque'] = active({ exp: undefined })
  const authenticator = create()
  expect(await principalOf(authenticator, withToken('opaque'))).not.toHaveProperty('expiresAt')
  passSeconds(29)
  expect(await authenticate(authenticator, withToken('opaque'))).toBe('alice')
  expect(asked).toHaveLength(1)
})
