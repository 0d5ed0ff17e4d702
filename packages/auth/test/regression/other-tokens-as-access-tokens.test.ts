import { introspection, jwtBearer } from 'toolwright'
import { authenticate, withToken } from '../support/authenticate.js'
import { audience, IdentityProvider } from '../support/identity-provider.js'

// Refresh tokens and ID tokens were accepted as access tokens.

let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
})

afterEach(() => provider.stop())

const others: [string, object][] = [
  ['a refresh token of Hydra', { token_use: 'refresh_token' }],
  ['a refresh token of older versions of Hydra', { token_type: 'refresh_token' }],
  ['a refresh token of Keycloak', { typ: 'Refresh' }],
  ['an offline token of Keycloak', { typ: 'Offline' }],
  ['an ID token of Keycloak', { typ: 'ID' }],
  ['a logout token of Keycloak', { typ: 'Logout' }],
  ['an ID token of Cognito', { token_use: 'id' }],
  ['an ID token with a nonce', { nonce: 'n' }],
  ['an ID token with a hash of the access token', { at_hash: 'x' }],
  ['an ID token with a hash of the code', { c_hash: 'x' }],
]

const accessTokens: [string, object][] = [
  ['of Hydra', { token_use: 'access_token', token_type: 'Bearer' }],
  ['of Cognito', { token_use: 'access' }],
  ['of Keycloak', { typ: 'Bearer' }],
  ['of older versions of Keycloak, with a nonce', { typ: 'Bearer', nonce: 'n' }],
  ['bound to a key', { token_type: 'DPoP' }],
]

async function outcomes(claims: object): Promise<(string | null)[]> {
  const { issuer, jwks } = provider
  const signed = await provider.sign({ aud: 'client-1', ...claims })
  const jwt = await authenticate(
    jwtBearer({ issuer, jwks, audience: 'client-1', resource: audience }),
    withToken(signed),
  )
  const exp = Math.floor(Date.now() / 1000) + 300
  const hints: string[] = []
  provider.answer = (request, response) => {
    request.on('data', (chunk) => hints.push(new URLSearchParams(String(chunk)).get('token_type_hint') ?? ''))
    request.on('end', () => response.end(JSON.stringify({ active: true, aud: audience, sub: 'alice', exp, ...claims })))
  }
  const client = { clientId: 'mcp', clientSecret: 'secret', endpoint: `${issuer}/introspect` }
  const opaque = await authenticate(
    introspection({ issuer, audience: false, resource: audience, ...client }),
    withToken('rt'),
  )
  expect(hints).toEqual(['access_token'])
  return [jwt, opaque]
}

test.each(others)('%s is rejected', async (_what, claims) => {
  const rejected = expect.stringMatching(/^rejected: not an access token: /)
  expect(await outcomes(claims)).toEqual([rejected, rejected])
})

test.each(accessTokens)('an access token %s is accepted', async (_what, claims) => {
  expect(await outcomes(claims)).toEqual(['alice', 'alice'])
})

test('a nonce is accepted in a token whose header says that it is an access token', async () => {
  const { issuer, jwks } = provider
  const token = await provider.sign({ nonce: 'n' }, { typ: 'at+jwt' })
  expect(await authenticate(jwtBearer({ issuer, jwks, audience }), withToken(token))).toBe('alice')
})
