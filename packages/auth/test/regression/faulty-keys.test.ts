import { generateKeyPairSync } from 'node:crypto'
import { type JwtBearerOptions, jwtBearer } from 'toolwright'
import { outcomeOf, withToken } from '../support/authenticate.js'
import { passSeconds, startClocks, stopClocks, until } from '../support/clock.js'
import { audience, createKey, IdentityProvider, type SigningKey } from '../support/identity-provider.js'

// One faulty entry, or one faulty response, made all tokens of the issuer invalid.

let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
  stopClocks()
})

afterEach(async () => {
  startClocks()
  await provider.stop()
})

function create(options: Partial<JwtBearerOptions> = {}) {
  return jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience, cache: { ttlSeconds: 0 }, ...options })
}

function publish(...keys: readonly unknown[]): void {
  provider.answer = (_request, response) => response.end(JSON.stringify({ keys }))
}

const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })

const lasting = (): Record<string, unknown> => ({ exp: Math.floor(Date.now() / 1000) + 3600 })

test.each<[string, () => unknown[]]>([
  ['no keys', () => []],
  ['only encryption keys', () => [{ ...provider.key.jwk, use: 'enc' }]],
  ['only keys of unknown types', () => [{ kty: 'FUTURE', kid: 'first' }, null]],
])('a key set with %s does not replace good keys', async (_what, keys) => {
  const authenticator = create()
  const token = withToken(await provider.sign(lasting()))
  expect(await outcomeOf(authenticator, token)).toBe('alice')
  publish(...keys())
  passSeconds(601)
  expect(await outcomeOf(authenticator, token)).toBe('alice')
  await until(() => provider.fetches === 2)
  const unknown = await provider.sign(lasting(), { kid: 'unknown' })
  expect(await outcomeOf(authenticator, withToken(unknown))).toMatch(/^unavailable.*no key for signatures$/)
  expect(await outcomeOf(authenticator, token)).toBe('alice')
})

test('a removed key is rejected as soon as the new key set is known', async () => {
  const authenticator = create()
  const token = withToken(await provider.sign(lasting()))
  expect(await outcomeOf(authenticator, token)).toBe('alice')
  const next = await createKey('next', 'ES256')
  publish(next.jwk)
  expect(await outcomeOf(authenticator, withToken(await provider.sign({}, {}, next)))).toBe('alice')
  expect(await outcomeOf(authenticator, token)).toBe('rejected: unknown signing key')
})

test('keys are fetched from an issuer that serves them as application/jwk-set+json only', async () => {
  const { answer } = provider
  provider.answer = (request, response) => {
    if (request.headers.accept?.includes('application/jwk-set+json') === true) answer(request, response)
    else response.writeHead(406).end()
  }
  expect(await outcomeOf(create(), withToken(await provider.sign()))).toBe('alice')
})

test.each([null, 5, 'key', [], {}])('an entry of %j beside a good key is skipped', async (entry) => {
  publish(entry, provider.key.jwk)
  expect(await outcomeOf(create(), withToken(await provider.sign()))).toBe('alice')
})

test.each<[string, object]>([
  ['of 1024 bits', weak],
  ['with x5c only', { kty: 'RSA', x5c: ['AAAA'] }],
])('a key %s does not hide a good key with the same kid, or without', async (_what, bad) => {
  const { jwk } = provider.key
  publish({ ...bad, kid: jwk.kid }, jwk)
  expect(await outcomeOf(create(), withToken(await provider.sign()))).toBe('alice')
  publish(bad, { ...jwk, kid: undefined })
  const nameless = await provider.sign({}, { kid: undefined as never })
  expect(await outcomeOf(create(), withToken(nameless))).toBe('alice')
})

test.each<[string, object, RegExp]>([
  ['of 1024 bits', weak, /^rejected: the signing key cannot be used: RS256 .*2048 bits/],
  ['with x5c only', { kty: 'RSA', x5c: ['AAAA'] }, /^rejected: the signing key cannot be used: /],
])('a single key %s is named as the reason', async (_what, bad, reason) => {
  publish({ ...bad, kid: 'first' })
  expect(await outcomeOf(create(), withToken(await provider.sign()))).toMatch(reason)
  const jwks = { keys: [{ ...bad, kid: 'first' }] } as JwtBearerOptions['jwks']
  expect(await outcomeOf(create({ jwks }), withToken(await provider.sign()))).toMatch(reason)
})

test('a new key with the name of the old one is accepted at once, and forged tokens cause one fetch', async () => {
  const authenticator = create()
  const sign = (key: SigningKey) => provider.sign({ jti: String(Math.random()) }, { kid: 'first' }, key)
  expect(await outcomeOf(authenticator, withToken(await sign(provider.key)))).toBe('alice')
  const next = await createKey('first')
  publish(next.jwk)
  expect(await outcomeOf(authenticator, withToken(await sign(next)))).toBe('alice')
  passSeconds(30)
  const forged = await createKey('first')
  const before = provider.fetches
  for (let count = 0; count < 20; count++) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await outcomeOf(authenticator, withToken(await sign(forged)))).toBe(
      'rejected: ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    )
  }
  expect(provider.fetches - before).toBe(1)
})

test('a token that names its key is verified with keys without a name, but not with keys of another name', async () => {
  const { kid: _kid, ...nameless } = provider.key.jwk
  const token = withToken(await provider.sign({}, { kid: 'unpublished' }))
  publish(nameless)
  expect(await outcomeOf(create(), token)).toBe('alice')
  expect(await outcomeOf(create({ jwks: { keys: [nameless] } }), token)).toBe('alice')
  expect(await outcomeOf(create({ jwks: { keys: [provider.key.jwk] } }), token)).toBe('rejected: unknown signing key')
})
