import { type JwtBearerOptions, jwtBearer, type Principal } from 'toolwright'
import { authenticate, principalOf, type Request, withToken } from './support/authenticate.js'
import { passSeconds, stopClocks } from './support/clock.js'
import { audience, createKey, IdentityProvider } from './support/identity-provider.js'

let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
  stopClocks()
})

afterEach(async () => {
  jest.useRealTimers()
  await provider.stop()
})

function create(options: Partial<JwtBearerOptions> = {}) {
  return jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience, ...options })
}

/** Cached tokens are accepted synchronously. */
function isKnown(authenticator: ReturnType<typeof create>, request: Request): boolean {
  const found = authenticator.authenticate({ method: 'POST', url: '/mcp', headers: {}, ...request })
  if (found instanceof Promise) found.catch(() => undefined)
  return !(found instanceof Promise)
}

const shared = {}

const connections: [title: string, connect: () => object][] = [
  ['each over a separate connection', () => ({})],
  ['all over one connection', () => shared],
]

describe.each(connections)('requests that come %s', (_title, connect) => {
  const bearer = (token: string): Request => ({ ...withToken(token), connection: connect() })

  test('reuse the result of a verified token for a minute', async () => {
    const authenticator = create()
    const token = await provider.sign()
    expect(isKnown(authenticator, bearer(token))).toBe(false)
    await authenticate(authenticator, bearer(token))
    expect(isKnown(authenticator, bearer(token))).toBe(true)
    passSeconds(59)
    expect(isKnown(authenticator, bearer(token))).toBe(true)
    passSeconds(1)
    expect(isKnown(authenticator, bearer(token))).toBe(false)
  })

  test('do not reuse the result of an expired or rejected token', async () => {
    const authenticator = create()
    const [token, bad] = [
      await provider.sign({ exp: Math.floor(Date.now() / 1000) + 10 }),
      await provider.sign({ aud: 'x' }),
    ]
    await authenticate(authenticator, bearer(token))
    await authenticate(authenticator, bearer(bad))
    expect([isKnown(authenticator, bearer(token)), isKnown(authenticator, bearer(bad))]).toEqual([true, false])
    passSeconds(10)
    expect(isKnown(authenticator, bearer(token))).toBe(false)
  })

  test('do not accept a token of a revoked key after the cache entry of the token has expired', async () => {
    const authenticator = create({ keys: { maxAgeSeconds: 1 } })
    const token = await provider.sign({ exp: Math.floor(Date.now() / 1000) + 3600 })
    await authenticate(authenticator, bearer(token))
    provider.keys = [await createKey('next')]
    passSeconds(2)
    await authenticate(authenticator, bearer(await provider.sign()))
    passSeconds(60)
    expect(await authenticate(authenticator, bearer(token))).toBe('rejected: unknown signing key')
  })

  test('do not mistake a changed token for a cached one with the same parts', async () => {
    const authenticator = create()
    const token = await provider.sign()
    await authenticate(authenticator, bearer(token))
    expect(await authenticate(authenticator, bearer(`${token}A`))).toMatch(/^rejected/)
  })

  test('share a cache of limited size, which drops the oldest token first', async () => {
    const authenticator = create({ cache: { maxTokens: 2 } })
    const tokens = await Promise.all(['a', 'b', 'c'].map((sub) => provider.sign({ sub })))
    for (const token of tokens) {
      // oxlint-disable-next-line no-await-in-loop
      await authenticate(authenticator, bearer(token))
    }
    expect(tokens.map((token) => isKnown(authenticator, bearer(token)))).toEqual([false, true, true])
  })

  test('do not cache a token that is valid within the tolerance only', async () => {
    const authenticator = create({ cache: { maxTokens: 1 } })
    const [token, late] = [await provider.sign(), await provider.sign({ exp: Math.floor(Date.now() / 1000) - 5 })]
    await authenticate(authenticator, bearer(token))
    expect(await authenticate(authenticator, bearer(late))).toBe('alice')
    expect([isKnown(authenticator, bearer(late)), isKnown(authenticator, bearer(token))]).toEqual([false, true])
  })

  test('cache nothing if the cache time is 0', async () => {
    const authenticator = create({ cache: { ttlSeconds: 0 } })
    const token = await provider.sign()
    await authenticate(authenticator, bearer(token))
    expect(isKnown(authenticator, bearer(token))).toBe(false)
  })

  test('get a principal that callers cannot change', async () => {
    const authenticator = create()
    const token = await provider.sign({ roles: ['Reader'], realm_access: { roles: ['admin'] } })
    const principal = (await principalOf(authenticator, bearer(token))) as Principal
    const changes = [
      () => (principal.roles as string[]).push('Admin'),
      () => Object.assign(principal, { subject: 'root' }),
      () => (principal.claims['realm_access'] as { roles: string[] }).roles.push('root'),
    ]
    for (const change of changes) expect(change).toThrow(TypeError)
    expect(await principalOf(authenticator, bearer(token))).toBe(principal)
  })

  test('share one cache entry for a token, also with different spellings of the header', async () => {
    const authenticator = create({ cache: { maxTokens: 2 } })
    const [honest, token] = [await provider.sign({ sub: 'honest' }), await provider.sign()]
    await authenticate(authenticator, bearer(honest))

    const known: boolean[] = []
    for (const start of ['Bearer ', 'bearer ', 'BEARER ', 'Bearer   ', 'bEaReR  ']) {
      const headers = { authorization: start + token }
      const request = { headers, connection: connect() }
      known.push(isKnown(authenticator, request))
      await authenticate(authenticator, request)
    }

    expect(known).toEqual([false, true, true, true, true])
    expect(isKnown(authenticator, bearer(honest))).toBe(true)
  })
})

test('requests with different tokens on one connection have different principals', async () => {
  const authenticator = create()
  const connection = {}
  const tokens = await Promise.all(['alice', 'bob'].map((sub) => provider.sign({ sub })))
  const callers: (string | null)[] = []
  for (const token of [...tokens, ...tokens, ...tokens]) {
    // oxlint-disable-next-line no-await-in-loop
    callers.push(await authenticate(authenticator, { ...withToken(token), connection }))
  }
  expect(callers).toEqual(['alice', 'bob', 'alice', 'bob', 'alice', 'bob'])
})
