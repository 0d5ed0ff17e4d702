import { createHmac, createSign, KeyObject } from 'node:crypto'
import { exportSPKI } from 'jose'
import { jwtBearer } from 'toolwright'
import { audience, createKey, IdentityProvider, type SigningKey } from './support/identity-provider.js'
import {
  bearer,
  callWho,
  closeHosts,
  openProtectedHost,
  type ProtectedHost,
  WhoTools,
} from './support/protected-host.js'

const metadata = 'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"'
const invalid = `Bearer error="invalid_token", error_description="the access token is not valid", ${metadata}`
const expired = `Bearer error="invalid_token", error_description="the access token has expired", ${metadata}`
const nameless = `Bearer error="invalid_token", error_description="the access token has no subject", ${metadata}`
const malformed = `Bearer error="invalid_request", error_description="the Authorization header contains no token", ${metadata}`

let provider: IdentityProvider
let stranger: SigningKey
let host: ProtectedHost

beforeAll(async () => {
  provider = await IdentityProvider.start()
  provider.keys = [provider.key, await createKey('second', 'ES256')]
  stranger = await createKey('first')
  host = await openProtectedHost(jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience }))
})

afterEach(() => {
  WhoTools.callers.length = 0
})

afterAll(async () => {
  await closeHosts()
  await provider.stop()
})

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const now = (): number => Math.floor(Date.now() / 1000)

const goodClaims = (): object => ({ iss: provider.issuer, aud: audience, sub: 'alice', exp: now() + 300 })

/** A token with a header that no library would write, correctly signed with the issuer's key. */
function signByHand(header: object, claims: object = goodClaims()): string {
  const input = `${encode({ alg: 'RS256', kid: 'first', ...header })}.${encode(claims)}`
  return `${input}.${createSign('sha256')
    .update(input)
    .sign(KeyObject.from(provider.key.privateKey))
    .toString('base64url')}`
}

/** A token signed with HMAC, with the public key as the secret. */
async function confuse(alg: string, hash: string): Promise<string> {
  const input = `${encode({ alg, kid: 'first' })}.${encode(goodClaims())}`
  const secret = await exportSPKI(provider.key.publicKey)
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
}

function unsigned(alg: string): string {
  return `${encode({ alg })}.${encode(goodClaims())}.`
}

/** The token with one of its parts replaced. */
async function change(part: number, replace: (text: string) => string): Promise<string> {
  return (await provider.sign())
    .split('.')
    .map((text, index) => (index === part ? replace(text) : text))
    .join('.')
}

const embedded = (): Promise<string> => provider.sign({}, { jwk: stranger.jwk }, stranger)

const forgeries: readonly (readonly [string, string, () => Promise<string> | string])[] = [
  ['of another key that has the same id', invalid, () => provider.sign({}, {}, stranger)],
  ['signed with an unknown key', invalid, async () => provider.sign({}, {}, await createKey('unknown'))],
  ['with alg none', invalid, () => unsigned('none')],
  ['with alg None', invalid, () => unsigned('None')],
  ['with alg NONE', invalid, () => unsigned('NONE')],
  ['with alg nOnE', invalid, () => unsigned('nOnE')],
  ['with alg none and a signature', invalid, async () => signByHand({ alg: 'none' })],
  ['without alg', invalid, () => signByHand({ alg: undefined })],
  ['whose alg is a list', invalid, () => signByHand({ alg: ['RS256'] })],
  ['signed with the public key as an HS256 secret', invalid, () => confuse('HS256', 'sha256')],
  ['signed with the public key as an HS384 secret', invalid, () => confuse('HS384', 'sha384')],
  ['signed with the public key as an HS512 secret', invalid, () => confuse('HS512', 'sha512')],
  [
    'with an algorithm that is not allowed',
    invalid,
    async () => provider.sign({}, {}, await createKey('first', 'RS512')),
  ],
  ['with the algorithm of another key of the issuer', invalid, () => signByHand({ alg: 'ES256' })],
  ['that embeds its key', invalid, embedded],
  ['of the right key that embeds another', invalid, () => provider.sign({}, { jwk: stranger.jwk })],
  ['that says where its key is (jku)', invalid, () => provider.sign({}, { jku: 'https://evil.example/keys' })],
  ['that says where its certificate is (x5u)', invalid, () => provider.sign({}, { x5u: 'https://evil.example/cert' })],
  ['that brings its certificate (x5c)', invalid, () => provider.sign({}, { x5c: ['MIIB'] })],
  ['with an unknown critical header', invalid, () => signByHand({ crit: ['exp'], exp: 1 })],
  ['with an empty list of critical headers', invalid, () => signByHand({ crit: [] })],
  ['with an unencoded payload', invalid, () => signByHand({ crit: ['b64'], b64: false })],
  ['whose key id is a path', invalid, () => signByHand({ kid: '../../../../dev/null' })],
  ['whose key id is an SQL statement', invalid, () => signByHand({ kid: "x' UNION SELECT 'secret" })],
  ['whose key id is __proto__', invalid, () => signByHand({ kid: '__proto__' })],
  ['whose key id is empty', invalid, () => signByHand({ kid: '' })],
  ['whose key id is an object', invalid, () => signByHand({ kid: { first: true } })],
  ['whose key id is null', invalid, () => signByHand({ kid: null })],
  ['for another audience', invalid, () => provider.sign({ aud: 'https://other.example.com/mcp' })],
  ['for a part of the audience', invalid, () => provider.sign({ aud: 'https://mcp.example.com' })],
  ['for the audience with a trailing slash', invalid, () => provider.sign({ aud: `${audience}/` })],
  ['for the audience in other letters', invalid, () => provider.sign({ aud: audience.toUpperCase() })],
  ['without an audience', invalid, () => provider.sign({ aud: undefined })],
  ['for an empty list of audiences', invalid, () => provider.sign({ aud: [] })],
  ['of another issuer', invalid, () => provider.sign({ iss: 'https://evil.example' })],
  ['of the issuer with a trailing slash', invalid, () => provider.sign({ iss: `${provider.issuer}/` })],
  ['of a list of issuers', invalid, () => provider.sign({ iss: [provider.issuer] })],
  ['without an issuer', invalid, () => provider.sign({ iss: undefined })],
  ['of the issuer __proto__', invalid, () => provider.sign({ iss: '__proto__' })],
  ['that expired one second beyond the tolerance', expired, () => provider.sign({ exp: now() - 31 })],
  ['that expired long ago', expired, () => provider.sign({ exp: 1 })],
  ['that never expires', invalid, () => provider.sign({ exp: undefined })],
  ['whose expiry is a text', invalid, () => provider.sign({ exp: String(now() + 300) })],
  ['that is not valid yet', invalid, () => provider.sign({ nbf: now() + 60 })],
  ['whose nbf is a text', invalid, () => provider.sign({ nbf: 'never' })],
  ['that was issued in the future', invalid, () => provider.sign({ iat: now() + 60 })],
  ['without a subject', nameless, () => provider.sign({ sub: undefined })],
  ['with an empty subject', nameless, () => provider.sign({ sub: '' })],
  ['whose subject is too long', nameless, () => provider.sign({ sub: 'a'.repeat(1025) })],
  ['that is a proof', invalid, () => provider.sign({}, { typ: 'dpop+jwt' })],
  ['that is a logout token', invalid, () => provider.sign({}, { typ: 'logout+jwt' })],
  ['bound to a certificate', invalid, () => provider.sign({ cnf: { 'x5t#S256': 'x' } })],
  ['bound to a key and a certificate', invalid, () => provider.sign({ cnf: { jkt: 'x', 'x5t#S256': 'x' } })],
  ['bound to a key that is a number', invalid, () => provider.sign({ cnf: { jkt: 5 } })],
  ['bound to a text', invalid, () => provider.sign({ cnf: 'x' })],
  ['whose signature is cut', invalid, () => change(2, (text) => text.slice(0, -4))],
  ['whose signature is missing', invalid, () => change(2, () => '')],
  [
    'whose signature is changed',
    invalid,
    () => change(2, (text) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)),
  ],
  ['whose payload is changed', invalid, () => change(1, () => encode({ ...goodClaims(), sub: 'root' }))],
  ['whose payload is not JSON', invalid, () => change(1, () => 'bm90IGpzb24')],
  ['whose payload is a list', invalid, () => change(1, () => encode([1]))],
  ['whose header is not JSON', invalid, () => change(0, () => 'bm90IGpzb24')],
  ['of two parts', invalid, async () => (await provider.sign()).split('.').slice(0, 2).join('.')],
  ['of four parts', invalid, async () => `${await provider.sign()}.x`],
  ['of five parts', invalid, async () => `${await provider.sign()}.x.y`],
  ['that is no JWT', invalid, () => 'secret'],
  ['with a space', malformed, async () => (await provider.sign()).replace('.', ' ')],
  ['that is empty', malformed, () => ''],
  ['with another token behind it', malformed, async () => `${await provider.sign()}, Bearer x`],
  ['that is too long', malformed, () => 'x'.repeat(20_000)],
]

/** The body of the 401 response. */
function errorIn(text: string): unknown {
  return (JSON.parse(text) as { error: { code: number; message: string } }).error.code
}

test('the unchanged token is accepted, so the tokens below are rejected for their faults', async () => {
  expect(await callWho(host, bearer(await provider.sign()))).toMatchObject({ status: 200, challenge: undefined })
  expect(await callWho(host, bearer(signByHand({})))).toMatchObject({ status: 200 })
  expect(await callWho(host, bearer(await provider.sign({}, {}, provider.keys[1])))).toMatchObject({ status: 200 })
  expect(await callWho(host, { authorization: `bEARER ${await provider.sign({}, { typ: 'at+jwt' })}` })).toMatchObject({
    status: 200,
  })
  const longest = 'a'.repeat(1024)
  expect(await callWho(host, bearer(await provider.sign({ sub: longest })))).toMatchObject({ status: 200 })
  expect(WhoTools.callers.map((caller) => caller?.subject)).toEqual(['alice', 'alice', 'alice', 'alice', longest])
})

test.each(forgeries)('a token %s is rejected with a challenge', async (_name, challenge, forge) => {
  const { text, ...answer } = await callWho(host, bearer(await forge()))
  expect(answer).toEqual({ status: 401, challenge })
  expect(errorIn(text)).toBe(-32_600)
  expect(WhoTools.callers).toEqual([])
})

test.each(['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'])(
  'a token of the type %s is accepted',
  async (typ) => {
    expect(await callWho(host, bearer(await provider.sign({}, { typ })))).toMatchObject({ status: 200 })
  },
)

test.each<[string, () => Promise<string> | string]>([
  ['the token contains its own key', embedded],
  ['kid is not a string', () => signByHand({ kid: null })],
  ['not an access token', () => signByHand({ typ: 'logout+jwt' })],
  ['not an access token', () => signByHand({ typ: 5 })],
  ['malformed: an opaque token, not a JWT', () => 'secret'],
  ['malformed: an opaque token, not a JWT', () => 'x'.repeat(16_384 - 'Bearer '.length)],
  ['malformed Authorization header', () => 'x'.repeat(16_385 - 'Bearer '.length)],
  ['malformed Authorization header', () => 'a b'],
])('the reason for rejecting a token is logged: %s', async (reason, forge) => {
  host.lines.length = 0
  await callWho(host, bearer(await forge()))
  const reasons = host.lines.map((line) => (JSON.parse(line) as { reason?: string }).reason)
  expect(reasons.filter((one) => one !== undefined)).toEqual([reason])
})

test('without a token, the challenge contains only the URL of the metadata', async () => {
  const answer = { status: 401, challenge: `Bearer ${metadata}` }
  expect(await callWho(host, {})).toMatchObject(answer)
  expect(await callWho(host, { authorization: 'Basic YWxpY2U6c2VjcmV0' })).toMatchObject(answer)
})

test.each([
  '',
  'Bearer',
  'Bearer\tabc',
  'Bearer,abc',
  'Bearer=abc',
  'Bearer: abc',
  'DPoP  ',
  'abc.def.ghi',
  'Bearertoken',
])('a header %j without a token is rejected, even where anonymous callers are admitted', async (authorization) => {
  const open = await openProtectedHost(jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience }), {
    allowAnonymous: true,
    authorization: { default: 'anonymous' },
  })
  expect(await callWho(open, {})).toMatchObject({ status: 200 })
  expect(await callWho(open, { authorization: 'Basic YWxpY2U6c2VjcmV0' })).toMatchObject({ status: 200 })
  expect(await callWho(open, { authorization })).toMatchObject({ status: 401, challenge: malformed })
})

test('a token is read from the Authorization header only', async () => {
  const token = await provider.sign()
  const params = { name: 'who', access_token: token }
  const payload = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params, access_token: token })
  const elsewhere = [
    await callWho(host, {}, { url: `/mcp?access_token=${token}` }),
    await callWho(host, { cookie: `access_token=${token}; Authorization=Bearer ${token}` }),
    await callWho(host, { 'x-access-token': token, 'proxy-authorization': `Bearer ${token}` }),
    await callWho(host, {}, { payload }),
    await callWho(host, { 'content-type': 'application/x-www-form-urlencoded' }, { payload: `access_token=${token}` }),
  ]
  expect(elsewhere.map(({ status, challenge }) => ({ status, challenge }))).toEqual(
    elsewhere.map(() => ({ status: 401, challenge: `Bearer ${metadata}` })),
  )
  expect(WhoTools.callers).toEqual([])
})

test('the token is checked before the body is parsed', async () => {
  for (const payload of ['{ no json', '[]', '', 'x'.repeat(5 * 1024 * 1024)]) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await callWho(host, bearer('secret'), { payload })).toMatchObject({ status: 401, challenge: invalid })
  }
})
