import { createHash } from 'node:crypto'
import {
  AuthenticationError,
  type AuthenticationRequest,
  anyOf,
  apiKeys,
  authenticateWith,
  jwtBearer,
  LimitError,
} from 'toolwright'
import { authenticate, outcomeOf, principalOf, withToken } from './support/authenticate.js'
import { audience, IdentityProvider } from './support/identity-provider.js'
import { bearer, callWho, closeHosts, openProtectedHost } from './support/protected-host.js'

afterEach(closeHosts)

const key = 'k-0123456789abcdef'
const other = 'other-0123456789abcdef'

test('an API key determines the subject, roles and scopes of the caller', async () => {
  const authenticator = apiKeys({
    keys: [
      { key, subject: 'build', roles: ['Builder'], scopes: ['tools:read'], claims: { team: 'core' } },
      { sha256: createHash('sha256').update(other).digest('hex').toUpperCase(), subject: 'nightly' },
    ],
  })
  expect(await principalOf(authenticator, { headers: { 'x-api-key': key } })).toEqual({
    subject: 'build',
    roles: ['Builder'],
    scopes: ['tools:read'],
    claims: { team: 'core' },
    namespace: 'apiKeys',
  })
  expect(await authenticate(authenticator, { headers: { 'x-api-key': other } })).toBe('nightly')
  expect(await authenticate(authenticator, withToken(key))).toBeNull()
})

test.each(['', 'x', key.slice(1), `${key} `, key.toUpperCase(), `${key}, ${key}`, 'undefined'])(
  'the key "%s" is rejected with a challenge',
  async (bad) => {
    const host = await openProtectedHost(apiKeys({ keys: [{ key, subject: 'build' }] }))
    expect(await callWho(host, { 'x-api-key': bad })).toMatchObject({
      status: 401,
      challenge: 'ApiKey header="x-api-key", error="invalid_token", error_description="the API key is not valid"',
    })
  },
)

test('the header is configurable, and can be Authorization for clients that support no other header', async () => {
  const keys = [{ key, subject: 'build' }]
  const custom = await openProtectedHost(apiKeys({ keys, header: 'X-Build-Key' }))
  expect(await callWho(custom, { 'x-build-key': key })).toMatchObject({ status: 200 })
  expect(await callWho(custom, { 'x-api-key': key })).toMatchObject({
    status: 401,
    challenge: 'ApiKey header="x-build-key"',
  })
  const standard = await openProtectedHost(apiKeys({ keys, header: 'Authorization' }))
  expect(await callWho(standard, bearer(key))).toMatchObject({ status: 200 })
  expect(await callWho(standard, {})).toMatchObject({ status: 401, challenge: 'Bearer' })
})

test('a lookup function finds the caller or rejects it', async () => {
  const host = await openProtectedHost(
    authenticateWith(async ({ method, url, headers }) => {
      const user = headers['x-user']
      if (user === 'broken') throw new Error('the database is gone')
      if (user === 'evil') throw new AuthenticationError('invalid_token', 'Unauthorized: not you')
      return user === undefined ? null : { subject: `${String(user)} ${method} ${url}`, roles: ['User'] }
    }),
  )
  const { text } = await callWho(host, { 'x-user': 'ann' })
  expect(JSON.parse(text)).toMatchObject({ result: { content: [{ text: 'ann POST /mcp' }] } })
  expect(await callWho(host, {})).toMatchObject({ status: 401, challenge: 'Bearer' })
  expect(await callWho(host, { 'x-user': 'evil' })).toMatchObject({
    status: 401,
    challenge: 'Bearer error="invalid_token", error_description="not you"',
  })
  const broken = await callWho(host, { 'x-user': 'broken' })
  expect(broken).toMatchObject({ status: 500 })
  expect(broken.text).not.toContain('database')
})

test('a lookup function can set an expiry, and expired credentials are rejected', async () => {
  const now = Date.now() / 1000
  const authenticator = authenticateWith(({ headers }) => ({ subject: 'ann', expiresAt: Number(headers['x-end']) }))
  expect(await principalOf(authenticator, { headers: { 'x-end': String(now + 60) } })).toEqual({
    subject: 'ann',
    roles: [],
    scopes: [],
    claims: {},
    expiresAt: now + 60,
    namespace: 'authenticateWith',
  })
  expect(await authenticate(authenticator, { headers: { 'x-end': String(now) } })).toBe('rejected: expired')
  const host = await openProtectedHost(authenticator)
  expect(await callWho(host, { 'x-end': String(now - 1) })).toMatchObject({
    status: 401,
    challenge: 'Bearer error="invalid_token", error_description="the credentials have expired"',
  })
  expect(await callWho(host, { 'x-end': 'tomorrow' })).toMatchObject({ status: 500 })
})

test.each([[undefined], [{}], [{ subject: '' }], [{ subject: 7 }], ['ann'], [true]])(
  'a lookup function that returns %j by mistake authenticates no caller',
  async (caller) => {
    for (const find of [() => caller as never, async () => caller as never]) {
      // oxlint-disable-next-line no-await-in-loop
      const host = await openProtectedHost(authenticateWith(find), { allowAnonymous: true })
      // oxlint-disable-next-line no-await-in-loop
      expect(await callWho(host, {})).toMatchObject({ status: 500 })
      const logged = host.lines.map((line) => JSON.parse(line) as { level: number; msg: string })
      expect(logged.filter(({ level }) => level >= 40).map(({ msg }) => msg)).toEqual(['a request failed unexpectedly'])
    }
  },
)

test('a host with authentication rejects requests without credentials, even if the transport allows anonymous callers', async () => {
  const host = await openProtectedHost(apiKeys({ keys: [{ key, subject: 'build' }] }), { allowAnonymous: true })
  expect(await callWho(host, {})).toMatchObject({ status: 401, challenge: 'ApiKey header="x-api-key"' })
  expect(await callWho(host, { 'x-api-key': key })).toMatchObject({ status: 200 })
})

test('anyOf accepts credentials that one of its authenticators accepts', async () => {
  const provider = await IdentityProvider.start()
  const host = await openProtectedHost(
    anyOf(
      apiKeys({ keys: [{ key, subject: 'build' }], header: 'authorization' }),
      jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience }),
      apiKeys({ keys: [{ key: other, subject: 'nightly' }] }),
    ),
  )
  const challenge = /^Bearer .*resource_metadata="https:\/\/mcp\.example\.com\/\.well-known/
  const answers = [
    await callWho(host, bearer(key)),
    await callWho(host, bearer(await provider.sign())),
    await callWho(host, { 'x-api-key': other }),
    await callWho(host, bearer('neither')),
    await callWho(host, { 'x-api-key': 'neither' }),
    await callWho(host, {}),
  ]
  await provider.stop()
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 401, 401])
  expect(answers.slice(3).map((answer) => answer.challenge)).toEqual([
    expect.stringMatching(challenge),
    expect.stringMatching(challenge),
    expect.stringMatching(challenge),
  ])
})

describe('anyOf with an authenticator that is unavailable', () => {
  const down = {
    authenticate: ({ headers }: AuthenticationRequest) => {
      if (headers['authorization'] === undefined) return null
      throw new LimitError('unavailable', 'The directory is down')
    },
  }

  it.each([
    ['first', () => anyOf(down, apiKeys({ keys: [{ key, subject: 'build' }], header: 'authorization' }))],
    ['last', () => anyOf(apiKeys({ keys: [{ key, subject: 'build' }], header: 'authorization' }), down)],
  ])('rejects only the callers of that authenticator, which is %s', async (_where, create) => {
    const host = await openProtectedHost(create())
    const answers = [
      await callWho(host, bearer(key)),
      await callWho(host, bearer('of-the-other')),
      await callWho(host, {}),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 503, 401])
  })
})

test('a rejection by all authenticators of anyOf is logged with every reason, server faults first', async () => {
  const provider = await IdentityProvider.start()
  const known = jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience })
  const foreign = jwtBearer({ issuer: 'https://other.example.com', jwks: { keys: [provider.key.jwk] }, audience })
  const expired = withToken(await provider.sign({ exp: 1 }))
  expect(await authenticate(anyOf(foreign, known), expired)).toBe(
    `rejected: unknown issuer "${provider.issuer}"; expired`,
  )
  const away = jwtBearer({ issuer: provider.issuer, jwks: 'http://127.0.0.1:1/keys', audience })
  expect(await outcomeOf(anyOf(foreign, away), expired)).toMatch(/^unavailable: the keys of .* could not/)
  await provider.stop()
})
