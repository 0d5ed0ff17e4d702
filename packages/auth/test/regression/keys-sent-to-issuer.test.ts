import { anyOf, apiKeys, authenticateWith, type IntrospectionOptions, introspection, jwtBearer } from 'toolwright'
import { authenticate, withToken } from '../support/authenticate.js'
import { audience, createKey, IdentityProvider } from '../support/identity-provider.js'

// Credentials of other authenticators were sent to the introspection endpoint of the issuer.

const key = 'secret-key-0123456789'
let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
  provider.answer = (_request, response) => response.end('{"active":false}')
})

afterEach(() => provider.stop())

const remote = (options: Partial<IntrospectionOptions> = {}) => {
  const client = { clientId: 'mcp', clientSecret: 'secret', endpoint: `${provider.issuer}/introspect` }
  return introspection({ issuer: provider.issuer, audience, ...client, ...options })
}

test('an API key is not sent to the issuer, in any order of the authenticators', async () => {
  const local = apiKeys({ keys: [{ key, subject: 'bot' }], header: 'authorization' })
  for (const authenticator of [anyOf(remote(), local), anyOf(local, remote()), anyOf(anyOf(remote()), local)]) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await authenticate(authenticator, withToken(key))).toBe('bot')
  }
  expect(provider.fetches).toBe(0)
})

test('a token of a function, and a token of another issuer, are not sent to the issuer', async () => {
  const own = authenticateWith(({ headers }) =>
    headers['authorization'] === `Bearer ${key}` ? { subject: 'ann' } : null,
  )
  expect(await authenticate(anyOf(remote(), own), withToken(key))).toBe('ann')
  const other = await createKey('other')
  const issuer = 'https://other.example.com'
  const jwt = jwtBearer({ issuer, jwks: { keys: [other.jwk] }, audience })
  const token = await provider.sign({ iss: issuer }, {}, other)
  expect(await authenticate(anyOf(remote(), jwt), withToken(token))).toBe('alice')
  expect(await authenticate(remote(), withToken(token))).toBe(`rejected: issued by another issuer: "${issuer}"`)
  expect(provider.fetches).toBe(0)
})

test('tokens of the issuer are sent, also if they are JWTs', async () => {
  const tokens = [await provider.sign(), 'opaque', 'a.b.c', 'a.bnVsbA.c']
  for (const token of tokens) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await authenticate(remote(), withToken(token))).toBe('rejected: not active')
  }
  expect(provider.fetches).toBe(tokens.length)
})

test('with accepts, only matching tokens are sent', async () => {
  const authenticator = remote({ accepts: /^ory_at_/ })
  expect(await authenticate(authenticator, withToken('mistyped-key'))).toBe('rejected: does not match accepts')
  expect(provider.fetches).toBe(0)
  expect(await authenticate(authenticator, withToken('ory_at_x'))).toBe('rejected: not active')
  expect(provider.fetches).toBe(1)
})

test.each(['ory_at_', /x/g, /x/y])('accepts that is %s is a boot problem', (accepts) => {
  const [problem] = remote({ accepts: accepts as RegExp }).diagnostics ?? []
  expect(problem?.message).toMatch(
    /^introspection: accepts is .*Give a regular expression without the flags g and y\.$/,
  )
})
