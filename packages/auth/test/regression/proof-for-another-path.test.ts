// A DPoP proof that was made for the URL of the resource, presented at other paths of the same server.
import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, SignJWT } from 'jose'
import { jwtBearer } from 'toolwright'
import { authenticate } from '../support/authenticate.js'
import { createKey, IdentityProvider, type SigningKey } from '../support/identity-provider.js'

let provider: IdentityProvider
let key: SigningKey

beforeAll(async () => {
  provider = await IdentityProvider.start()
  key = await createKey('own', 'ES256')
})

afterAll(() => provider.stop())

async function present(resource: string, htu: string, url: string): Promise<string | null> {
  const authenticator = jwtBearer({
    issuer: provider.issuer,
    jwks: provider.jwks,
    audience: 'https://mcp.example.com/mcp',
    resource,
  })
  const { kty, crv, x, y } = key.jwk
  const token = await provider.sign({ cnf: { jkt: await calculateJwkThumbprint(key.jwk) } })
  const ath = createHash('sha256').update(token).digest('base64url')
  const iat = Math.floor(Date.now() / 1000)
  const dpop = await new SignJWT({ htm: 'POST', htu, iat, jti: `${url} ${htu} ${Math.random()}`, ath })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } })
    .sign(key.privateKey)
  return authenticate(authenticator, { url, headers: { authorization: `DPoP ${token}`, dpop } })
}

const host = 'https://mcp.example.com'
const rejected = 'rejected: the proof is for another URL'

test.each([
  ['/rpc', `${host}/mcp`, rejected],
  ['/admin/mcp', `${host}/mcp`, rejected],
  ['/ws', `${host}/mcp`, rejected],
  ['/mcp/other', `${host}/mcp`, rejected],
  ['/cp', `${host}/mcp`, rejected],
  ['/mcp', `https://user:word@mcp.example.com/mcp`, rejected],
  ['/mcp', `https://user@mcp.example.com/mcp`, rejected],
  ['/mcp', `${host}/mcp`, 'alice'],
  ['/mcp?x=1', `${host}/mcp`, 'alice'],
  ['/mcp/', `${host}/mcp`, 'alice'],
  ['/rpc', `${host}/rpc`, 'alice'],
  ['/admin/mcp', `${host}/admin/mcp`, 'alice'],
  ['/mcp', `${host}/%6Dcp`, 'alice'],
  ['/%6dcp', `${host}/mcp`, 'alice'],
  ['/%C3%A4', `${host}/%c3%a4`, 'alice'],
  ['/~x', `${host}/%7Ex`, 'alice'],
  ['/a/b', `${host}/a%2Fb`, rejected],
])('at %s, a proof for %s is %s', async (url, htu, expected) => {
  expect(await present(`${host}/mcp`, htu, url)).toBe(expected)
})

test.each([
  ['/mcp', 'alice'],
  ['/rpc', rejected],
  ['/other/mcp', rejected],
])('behind a proxy that strips a prefix, at %s a proof for the resource is %s', async (url, expected) => {
  expect(await present(`${host}/api/mcp`, `${host}/api/mcp`, url)).toBe(expected)
})
