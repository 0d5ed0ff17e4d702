// Valid tokens with claims that are nested thousands of levels deep.
import { CompactSign } from 'jose'
import { introspection, jwtBearer } from 'toolwright'
import { audience, IdentityProvider } from '../support/identity-provider.js'
import { bearer, callWho, closeHosts, openProtectedHost } from '../support/protected-host.js'

let provider: IdentityProvider

beforeAll(async () => {
  provider = await IdentityProvider.start()
})

afterEach(closeHosts)

afterAll(() => provider.stop())

/** A string, because `JSON.stringify` cannot write so many levels. */
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

async function sign(levels: number): Promise<string> {
  const { issuer, key } = provider
  const exp = Math.floor(Date.now() / 1000) + 60
  const claims = JSON.stringify({ iss: issuer, aud: audience, sub: 'alice', exp }).replace(
    /}$/,
    `,"deep":${deep(levels)}}`,
  )
  return new CompactSign(Buffer.from(claims))
    .setProtectedHeader({ alg: 'RS256', kid: key.jwk.kid })
    .sign(key.privateKey)
}

test.each([
  [3000, 401],
  [65, 401],
  [60, 200],
])('a token with claims %i levels deep gets the status %i', async (levels, status) => {
  const host = await openProtectedHost(jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience }))
  const answer = await callWho(host, bearer(await sign(levels)))
  expect(answer.status).toBe(status)
  expect(String(answer.challenge).includes('error="invalid_token"')).toBe(status === 401)
})

test('an introspection response with deep claims is rejected as well', async () => {
  const exp = Math.floor(Date.now() / 1000) + 60
  provider.answer = (_request, response) =>
    void response.end(`{"active":true,"sub":"alice","aud":"${audience}","exp":${exp},"deep":${deep(3000)}}`)
  const { issuer } = provider
  const host = await openProtectedHost(
    introspection({
      endpoint: `${issuer}/introspect`,
      issuer,
      audience,
      clientId: 'mcp',
      clientSecret: 'secret-0123456789',
    }),
  )
  expect((await callWho(host, bearer('opaque'))).status).toBe(401)
})
