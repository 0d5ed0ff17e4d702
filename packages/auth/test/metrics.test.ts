import {
  type AuthenticateWithOptions,
  AuthenticationError,
  anyOf,
  authenticateWith,
  introspection,
  jwtBearer,
} from 'toolwright'
import { gaugesOf } from '../../../test/support/gauges.js'
import { authenticate, withToken } from './support/authenticate.js'
import { passSeconds, stopClocks } from './support/clock.js'
import { audience, IdentityProvider } from './support/identity-provider.js'
import { bearer, callWho, closeHosts, openProtectedHost } from './support/protected-host.js'

let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
  stopClocks()
})

afterEach(async () => {
  jest.useRealTimers()
  await closeHosts()
  await provider.stop()
})

const create = (options: object = {}) =>
  jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience, ...options })

test('the gauges of cached tokens have the values and limits of the fullest authenticator', async () => {
  const other = create({ audience: 'https://other.example.com', cache: { maxTokens: 5 } })
  const host = await openProtectedHost(anyOf(create({ cache: { maxTokens: 2 } }), other))
  for (const subject of ['ada', 'bob', 'cy']) {
    // oxlint-disable-next-line no-await-in-loop
    await callWho(host, bearer(await provider.sign({ sub: subject })))
  }
  const { token_bytes_remembered: bytes, ...metrics } = gaugesOf(host.app.mcp, 'token')
  expect(metrics).toMatchObject({ tokens_remembered: 2, tokens_remembered_max: 2 })
  expect(bytes).toBeGreaterThan(100)
  passSeconds(60)
  expect(gaugesOf(host.app.mcp, 'token')).toMatchObject({ tokens_remembered: 0, token_bytes_remembered: 0 })
})

test('an expired token leaves the cache with the next request that sends it, also if older tokens are still valid', async () => {
  const authenticator = create()
  const read = (which: string) => authenticator.gauges?.find(({ name }) => name === which)?.read()
  const [lasting, brief] = [await provider.sign(), await provider.sign({ exp: Math.floor(Date.now() / 1000) + 10 })]
  for (const token of [lasting, brief]) {
    // oxlint-disable-next-line no-await-in-loop
    await authenticate(authenticator, withToken(token))
  }
  expect(read('tokens_remembered')).toBe(2)
  passSeconds(40)
  expect(await authenticate(authenticator, withToken(brief))).toBe('rejected: expired')
  expect(read('tokens_remembered')).toBe(1)
  passSeconds(20)
  expect(read('token_bytes_remembered')).toBe(0)
})

test('the claims of cached tokens are limited to 32 MiB, and the oldest tokens are dropped first', async () => {
  const claims = { active: true, sub: 'ada', aud: audience, more: 'x'.repeat(500_000) }
  provider.answer = (_request, response) => response.end(JSON.stringify(claims))
  const { issuer } = provider
  const client = { clientId: 'a', clientSecret: 'b' }
  const authenticator = introspection({ issuer, endpoint: `${issuer}/introspect`, audience, ...client })
  const host = await openProtectedHost(authenticator)
  const ask = (number: number) => authenticate(authenticator, withToken(`token-${number}`))
  for (let number = 0; number < 70; number++) {
    // oxlint-disable-next-line no-await-in-loop
    await ask(number)
  }
  const { token_bytes_remembered: bytes, ...metrics } = gaugesOf(host.app.mcp, 'token')
  expect(metrics).toEqual({
    tokens_remembered: 67,
    tokens_remembered_max: 10_000,
    token_bytes_remembered_max: 33_554_432,
  })
  expect(bytes).toBeGreaterThan(33_500_000)
  expect(bytes).toBeLessThanOrEqual(33_554_432)
  await ask(3)
  expect(provider.fetches).toBe(70)
  await ask(2)
  expect(provider.fetches).toBe(71)
})

test('an authenticator shared by two endpoints is counted once', async () => {
  const authentication = create()
  const host = await openProtectedHost(authentication)
  for (const gauge of authentication.gauges ?? []) host.app.mcp.gauges.share(gauge)
  expect(gaugesOf(host.app.mcp, 'proofs')).toEqual({ proofs_remembered: 0, proofs_remembered_max: 100_000 })
})

test('introspection requests are counted, both running requests and requests beyond the limit', async () => {
  const answers: (() => void)[] = []
  provider.answer = (_request, response) => void answers.push(() => response.end('{"active":false}'))
  const client = { clientId: 'a', clientSecret: 'b', maxConcurrent: 1, resource: audience }
  const authenticator = introspection({
    issuer: provider.issuer,
    endpoint: `${provider.issuer}/introspect`,
    audience,
    ...client,
  })
  const host = await openProtectedHost(authenticator)
  const asked = authenticate(authenticator, withToken('one'))
  const statuses = [(await callWho(host, bearer('two'))).status]
  expect(gaugesOf(host.app.mcp, 'introspections')).toEqual({
    introspections_running: 1,
    introspections_running_max: 1,
    introspections_rejected_total: 1,
  })
  while (answers.length === 0) {
    // oxlint-disable-next-line no-await-in-loop
    await new Promise(setImmediate)
  }
  for (const answer of answers) answer()
  expect([await asked, statuses]).toEqual(['rejected: not active', [503]])
  expect(gaugesOf(host.app.mcp, 'introspections_running')).toMatchObject({ introspections_running: 0 })
  expect(gaugesOf(host.app.mcp, 'bad_tokens')).toMatchObject({ bad_tokens_remembered: 1 })
  expect(host.app.mcp.metrics()).toMatchObject({ uncheckedCredentials: 1 })
})

test('rejected callers are counted by reason', async () => {
  const options: AuthenticateWithOptions = { requiredScopes: ['use'] }
  const authentication = authenticateWith(({ headers }) => {
    const { authorization } = headers
    if (authorization === undefined) return null
    if (authorization === 'Bearer bad') throw new AuthenticationError('invalid_token', 'Unauthorized: bad')
    if (authorization === 'Bearer broken') throw new Error('the directory is down')
    return { subject: 'ada', scopes: authorization === 'Bearer good' ? ['use'] : [] }
  }, options)
  const host = await openProtectedHost(authentication)
  const callers = [{}, bearer('bad'), bearer('bad'), bearer('broken'), bearer('poor'), bearer('good')]
  const statuses = await Promise.all(callers.map(async (headers) => (await callWho(host, headers)).status))

  expect(statuses).toEqual([401, 401, 401, 500, 403, 200])
  expect(host.app.mcp.metrics()).toMatchObject({
    unknownCallers: 1,
    rejectedCredentials: 2,
    uncheckedCredentials: 1,
    forbiddenCallers: 1,
  })
})
