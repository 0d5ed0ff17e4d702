import { type JwtBearerOptions, jwtBearer } from 'toolwright'
import { authenticate, principalOf, withToken } from './support/authenticate.js'
import { passSeconds, stopClocks } from './support/clock.js'
import { audience, IdentityProvider } from './support/identity-provider.js'

let provider: IdentityProvider

beforeAll(async () => {
  provider = await IdentityProvider.start()
})

beforeEach(() => stopClocks())

afterEach(() => jest.useRealTimers())

afterAll(() => provider.stop())

function create(options: Partial<JwtBearerOptions> = {}) {
  return jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience, ...options })
}

const now = (): number => Math.floor(Date.now() / 1000)

const tooEarly = 'rejected: ERR_JWT_CLAIM_VALIDATION_FAILED nbf'

test.each([
  ['exp', -31, 'rejected: expired'],
  ['exp', -30, 'rejected: expired'],
  ['exp', -29, 'alice'],
  ['exp', 0, 'alice'],
  ['exp', 29, 'alice'],
  ['exp', 31, 'alice'],
  ['nbf', -31, 'alice'],
  ['nbf', -29, 'alice'],
  ['nbf', 0, 'alice'],
  ['nbf', 29, 'alice'],
  ['nbf', 30, 'alice'],
  ['nbf', 31, tooEarly],
  ['iat', -31, 'alice'],
  ['iat', -29, 'alice'],
  ['iat', 0, 'alice'],
  ['iat', 29, 'alice'],
  ['iat', 30, 'alice'],
  ['iat', 31, 'rejected: issued in the future'],
])('with a tolerance of 30 seconds, %s at %i seconds from now: %s', async (claim, seconds, outcome) => {
  const token = await provider.sign({ [claim]: now() + seconds })
  expect(await authenticate(create(), withToken(token))).toBe(outcome)
})

test('without tolerance, a token expires with the second in exp', async () => {
  const authenticator = create({ clockToleranceSeconds: 0 })
  const token = await provider.sign({ exp: now() + 10 })
  expect(await authenticate(authenticator, withToken(token))).toBe('alice')
  passSeconds(9)
  expect(await authenticate(authenticator, withToken(token))).toBe('alice')
  passSeconds(1)
  expect(await authenticate(authenticator, withToken(token))).toBe('rejected: expired')
})

test('a cached token expires when its tolerance ends', async () => {
  const authenticator = create()
  const token = await provider.sign({ exp: now() + 10 })
  expect(await authenticate(authenticator, withToken(token))).toBe('alice')
  passSeconds(39)
  expect(await authenticate(authenticator, withToken(token))).toBe('alice')
  passSeconds(1)
  expect(await authenticate(authenticator, withToken(token))).toBe('rejected: expired')
})

test.each([0, 30])('the expiry of a principal includes a tolerance of %i seconds', async (tolerance) => {
  const authenticator = create({ clockToleranceSeconds: tolerance })
  const token = await provider.sign({ exp: now() + 10 })
  const first = await principalOf(authenticator, withToken(token))
  expect(first?.expiresAt).toBe(now() + 10 + tolerance)
  passSeconds(5)
  expect(await principalOf(authenticator, withToken(token))).toBe(first)
})
