import { apiKeys, introspection, jwtBearer } from 'toolwright'
import { authenticate, outcomeOf, withToken } from '../support/authenticate.js'
import { audience, IdentityProvider } from '../support/identity-provider.js'
import { bearer, callWho, closeHosts, openProtectedHost } from '../support/protected-host.js'

// The log did not say which value of a token was wrong.

let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
})

afterEach(async () => {
  await closeHosts()
  await provider.stop()
})

const jwt = () => jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience })

test.each<[string, string, () => string | Promise<string>]>([
  ['another issuer', 'unknown issuer "https://a.example"', () => provider.sign({ iss: 'https://a.example' })],
  ['another audience', 'ERR_JWT_CLAIM_VALIDATION_FAILED aud ["a","b"]', () => provider.sign({ aud: ['a', 'b'] })],
  ['no audience', 'ERR_JWT_CLAIM_VALIDATION_FAILED aud missing', () => provider.sign({ aud: undefined })],
  ['an opaque token', 'malformed: an opaque token, not a JWT', () => 'opaque'],
  ['an encrypted token', 'an encrypted token: the client has to request a token for this API', () => 'a.b.c.d.e'],
  [
    'a long audience',
    `ERR_JWT_CLAIM_VALIDATION_FAILED aud "${'x'.repeat(199)}…`,
    () => provider.sign({ aud: 'x'.repeat(9999) }),
  ],
])('%s', async (_what, reason, create) => {
  expect(await authenticate(jwt(), withToken(await create()))).toBe(`rejected: ${reason}`)
})

test.each(['|', ':', '%'])('a token with %s is rejected with this character as the reason', async (character) => {
  expect(await authenticate(jwt(), withToken(`ab${character}c`))).toBe(
    `rejected: malformed Authorization header: tokens cannot contain "${character}"`,
  )
})

const remote = (options: object = {}) => {
  const client = { clientId: 'mcp', clientSecret: 'secret', endpoint: `${provider.issuer}/introspect` }
  return introspection({ issuer: provider.issuer, audience, ...client, ...options })
}

test('an endpoint that rejects the client, and an endpoint that answers with a JWT', async () => {
  provider.answer = (_request, response) => response.writeHead(401).end()
  expect(await outcomeOf(remote(), withToken('a'))).toMatch(
    /401: the endpoint rejected the credentials of this server$/,
  )
  provider.answer = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/token-introspection+jwt' }).end('a.b.c')
  expect(await outcomeOf(remote(), withToken('a'))).toMatch(/the response is a JWT \(RFC 9701\)/)
})

test('the client id and secret are sent in the form on request', async () => {
  const seen: string[] = []
  provider.answer = (request, response) => {
    request.on('data', (chunk) => seen.push(String(request.headers.authorization), String(chunk)))
    request.on('end', () => response.end('{"active":false}'))
  }
  await authenticate(remote({ clientAuthentication: 'post' }), withToken('a'))
  expect(seen).toEqual(['undefined', 'token=a&token_type_hint=access_token&client_id=mcp&client_secret=secret'])
})

test('a server with API keys only tells so, and logs the ignored scheme without the credentials', async () => {
  const host = await openProtectedHost(apiKeys({ keys: [{ key: 'k'.repeat(20), subject: 'bot' }] }))
  const { text, challenge } = await callWho(host, bearer('secret'))
  expect(JSON.parse(text).error.message).toBe(
    'Unauthorized: this server has no login. Send an API key in the header x-api-key',
  )
  expect(challenge).toBe('ApiKey header="x-api-key"')
  await callWho(host, { authorization: 'Token secret' })
  await callWho(host, { authorization: 'secret phrase' })
  const reasons = host.lines.map((line) => JSON.parse(line).reason).filter(Boolean)
  expect(reasons).toEqual([
    'the scheme Bearer in Authorization is not accepted',
    'the scheme Token in Authorization is not accepted',
  ])
  expect(host.lines.join('')).not.toContain('secret')
})
