import { type JwtBearerOptions, jwtBearer } from 'toolwright'
import { authenticate, withToken } from './support/authenticate.js'
import { audience, createKey, IdentityProvider } from './support/identity-provider.js'

let provider: IdentityProvider

beforeAll(async () => {
  provider = await IdentityProvider.start()
})

afterAll(() => provider.stop())

/** Authenticates with a token signed with `algorithm`. Returns the subject, or the reason of the rejection. */
async function outcome(algorithm: string, options: Partial<JwtBearerOptions> = {}): Promise<string | null> {
  const { issuer, jwks } = provider
  provider.keys = [await createKey('key', algorithm)]
  return authenticate(jwtBearer({ issuer, jwks, audience, ...options }), withToken(await provider.sign()))
}

const notAllowed = (algorithm: string): string => `rejected: ERR_JOSE_ALG_NOT_ALLOWED "${algorithm}"`

test.each(['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'])(
  '%s is accepted by default, unless `algorithms` omits it',
  async (algorithm) => {
    expect(await outcome(algorithm)).toBe('alice')
    expect(await outcome(algorithm, { algorithms: ['ES384'] })).toBe(notAllowed(algorithm))
  },
)

test.each(['RS512', 'ES384', 'ES512'] as const)('%s is accepted only if `algorithms` lists it', async (algorithm) => {
  expect(await outcome(algorithm)).toBe(notAllowed(algorithm))
  expect(await outcome(algorithm, { algorithms: ['RS256', algorithm] })).toBe('alice')
})
