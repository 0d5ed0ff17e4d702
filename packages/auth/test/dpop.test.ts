import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, type JWTHeaderParameters, SignJWT } from 'jose'
import { type JwtBearerOptions, jwtBearer, type ProofStore } from 'toolwright'
import { authenticate, withToken } from './support/authenticate.js'
import { passSeconds, stopClocks } from './support/clock.js'
import { audience, createKey, IdentityProvider, type SigningKey } from './support/identity-provider.js'
import { callWho, closeHosts, openProtectedHost } from './support/protected-host.js'

let provider: IdentityProvider
/** The client's key, and the key of an attacker who stole its token. */
let own: SigningKey
let stolen: SigningKey

beforeAll(async () => {
  provider = await IdentityProvider.start()
  own = await createKey('own', 'ES256')
  stolen = await createKey('stolen', 'ES256')
})

beforeEach(() => stopClocks())

afterEach(async () => {
  jest.useRealTimers()
  await closeHosts()
})

afterAll(() => provider.stop())

function create(options: Partial<JwtBearerOptions> = {}) {
  return jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience, ...options })
}

const metadata = 'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"'
const algs = 'DPoP algs="ES256 ES384 ES512 PS256 RS256 EdDSA Ed25519"'
const notValid = `${algs}, error="invalid_token", error_description="the access token is not valid", ${metadata}`

function explode(): never {
  throw new Error('the directory is down')
}

const now = (): number => Math.floor(Date.now() / 1000)

async function boundToken(claims: object = {}): Promise<string> {
  return provider.sign({ cnf: { jkt: await calculateJwkThumbprint(own.jwk) }, ...claims })
}

interface ProofInit {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Partial<JWTHeaderParameters>
  readonly key?: SigningKey
}

let proofs = 0

/** A valid proof, with `claims` and `header` overridden. */
async function prove(token: string, { claims = {}, header = {}, key = own }: ProofInit = {}): Promise<string> {
  const { kty, crv, x, y } = key.jwk
  const ath = createHash('sha256').update(token).digest('base64url')
  const payload = { htm: 'POST', htu: audience, iat: now(), jti: `proof-${proofs++}`, ath, ...claims }
  return new SignJWT(JSON.parse(JSON.stringify(payload)))
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y }, ...header })
    .sign(key.privateKey)
}

const withProof = (token: string, dpop: string, scheme = 'DPoP') => ({
  headers: { authorization: `${scheme} ${token}`, dpop },
})

test('a bound token is accepted with a new proof of its key on each request', async () => {
  const authenticator = create()
  const token = await boundToken()
  expect(await authenticate(authenticator, withProof(token, await prove(token)))).toBe('alice')
  expect(await authenticate(authenticator, withProof(token, await prove(token), 'dpop'))).toBe('alice')
  expect(authenticator.gauges?.find(({ name }) => name === 'tokens_remembered')?.read()).toBe(1)
})

test('a bound token without a proof is rejected', async () => {
  const authenticator = create()
  const token = await boundToken()
  expect(await authenticate(authenticator, withToken(token))).toBe(
    'rejected: a DPoP-bound token was sent as a bearer token',
  )
  expect(await authenticate(authenticator, withProof(token, await prove(token), 'Bearer'))).toBe(
    'rejected: a DPoP-bound token was sent as a bearer token',
  )
  expect(await authenticate(authenticator, { headers: { authorization: `DPoP ${token}` } })).toBe(
    'rejected: the proof is missing',
  )
})

test('a proof does not make an unbound token valid', async () => {
  const token = await provider.sign()
  expect(await authenticate(create(), withProof(token, await prove(token)))).toBe(
    'rejected: the token is not bound to a key',
  )
})

const unsigned = 'rejected: the proof is not a signed JWT'

const badProofs: readonly (readonly [string, string, ProofInit | (() => ProofInit)])[] = [
  ['of another key', 'rejected: the proof is not signed with the key of the token', () => ({ key: stolen })],
  [
    'that claims the key but is signed with another',
    unsigned,
    () => ({ key: { ...own, privateKey: stolen.privateKey } }),
  ],
  ['for another method', 'rejected: the proof is for another HTTP method', { claims: { htm: 'GET' } }],
  ['for a method in small letters', 'rejected: the proof is for another HTTP method', { claims: { htm: 'post' } }],
  ['for another host', 'rejected: the proof is for another URL', { claims: { htu: 'https://evil.example/mcp' } }],
  ['for another scheme', 'rejected: the proof is for another URL', { claims: { htu: 'http://mcp.example.com/mcp' } }],
  ['for another path', 'rejected: the proof is for another URL', { claims: { htu: 'https://mcp.example.com/other' } }],
  ['for no URL', 'rejected: the proof is for another URL', { claims: { htu: undefined } }],
  ['for another token', 'rejected: the proof is for another token', { claims: { ath: 'x' } }],
  ['for no token', 'rejected: the proof is for another token', { claims: { ath: undefined } }],
  ['that is too old', 'rejected: the iat of the proof is too far from now', () => ({ claims: { iat: now() - 91 } })],
  ['from the future', 'rejected: the iat of the proof is too far from now', () => ({ claims: { iat: now() + 32 } })],
  ['without a time', 'rejected: the proof has no jti or no iat', { claims: { iat: undefined } }],
  ['without an id', 'rejected: the proof has no jti or no iat', { claims: { jti: undefined } }],
  ['with an empty id', 'rejected: the proof has no jti or no iat', { claims: { jti: '' } }],
  ['with an overlong id', 'rejected: the proof has no jti or no iat', { claims: { jti: 'x'.repeat(257) } }],
  ['of another type', unsigned, { header: { typ: 'JWT' } }],
  ['without its key', unsigned, { header: { jwk: undefined as never } }],
]

test.each(badProofs)('a proof %s is rejected', async (_name, outcome, init) => {
  const token = await boundToken()
  const proof = await prove(token, typeof init === 'function' ? init() : init)
  expect(await authenticate(create(), withProof(token, proof))).toBe(outcome)
})

test('a proof that contains the private key, lacks a signature or is sent twice is rejected', async () => {
  const token = await boundToken()
  const proof = await prove(token)
  const none = `${Buffer.from('{"typ":"dpop+jwt","alg":"none"}').toString('base64url')}.${proof.split('.')[1]}.`
  for (const bad of [none, `${proof}, ${proof}`, '', 'x']) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await authenticate(create(), withProof(token, bad))).toBe(unsigned)
  }
})

test('a proof is accepted once, also by two concurrent requests', async () => {
  const authenticator = create()
  const token = await boundToken()
  const request = withProof(token, await prove(token))
  const outcomes = await Promise.all([authenticate(authenticator, request), authenticate(authenticator, request)])
  expect(new Set(outcomes)).toEqual(new Set(['alice', 'rejected: the proof was used before']))
  passSeconds(60)
  expect(await authenticate(authenticator, request)).toBe('rejected: the proof was used before')
  passSeconds(60)
  expect(await authenticate(authenticator, request)).toBe('rejected: the iat of the proof is too far from now')
})

test('a full proof store rejects requests as temporarily unavailable until old proofs have expired', async () => {
  const authenticator = create({ dpop: { maxProofs: 2 } })
  const token = await boundToken()
  const use = async () => authenticate(authenticator, withProof(token, await prove(token)))
  expect([await use(), await use()]).toEqual(['alice', 'alice'])
  await expect(use()).rejects.toMatchObject({
    message: 'DPoP proof verification is temporarily unavailable. Try again in 1 s',
    cause: { message: 'the proof store is full' },
  })
  passSeconds(92)
  expect(await use()).toBe('alice')
})

const errors: readonly (readonly [string, ProofStore['use']])[] = [
  ['throws', () => explode()],
  ['rejects', async () => explode()],
  ['returns an invalid value', () => undefined as never],
  ['is full', () => 'full'],
]

test.each(errors)(
  'while a proof store %s, requests with proofs are rejected as temporarily unavailable',
  async (_how, use) => {
    const host = await openProtectedHost(create({ dpop: { proofStore: { use } } }))
    const token = await boundToken()

    const answer = await callWho(host, withProof(token, await prove(token)).headers)

    expect(answer).toMatchObject({ status: 503, challenge: undefined })
    expect(answer.text).toContain('DPoP proof verification is temporarily unavailable. Try again in 1 s')
    expect(answer.text).not.toContain('directory')
    expect(host.app.mcp.metrics()).toMatchObject({ uncheckedCredentials: 1, rejectedCredentials: 0 })
  },
)

test('a proof store that never responds times out after a second', async () => {
  jest.useRealTimers()
  const authenticator = create({ dpop: { proofStore: { use: () => new Promise<never>(() => undefined) } } })
  const token = await boundToken()

  const asked = authenticate(authenticator, withProof(token, await prove(token)))

  await expect(asked).rejects.toMatchObject({ cause: { message: 'it did not settle within 1000 ms' } })
})

test('a proof store gets a lifetime that covers the clock skew of other nodes', async () => {
  const calls: unknown[][] = []
  const use = (...args: unknown[]) => {
    calls.push(args)
    return 'first' as const
  }
  const dpop = { proofStore: { use }, maxAgeSeconds: 10, maxProofs: 7 }
  const token = await boundToken()

  await authenticate(create({ dpop }), withProof(token, await prove(token, { claims: { iat: now() - 3 } })))

  expect(calls).toEqual([[expect.stringMatching(/^.{44}$/), expect.any(Number), 7]])
  // 10 s, twice the 30 s of clock tolerance, and one second for rounding down times.
  expect(Math.round(Number(calls[0]?.[1]) / 1000)).toBeGreaterThanOrEqual(67)
  expect(Math.round(Number(calls[0]?.[1]) / 1000)).toBeLessThanOrEqual(68)
})

test('the query of the request is ignored when its URL is compared with a proof', async () => {
  const token = await boundToken()
  const proof = await prove(token, { claims: { htu: `${audience}?a=1#b` } })
  expect(await authenticate(create(), { ...withProof(token, proof), url: '/mcp?b=2' })).toBe('alice')
})

test.each([
  ['has added a path prefix', '/inner/mcp', audience, 'rejected: the proof is for another URL'],
  ['has stripped a path prefix', '/?b=2', audience, 'alice'],
  ['serves another path', '/other?b=2', 'https://mcp.example.com/other', 'alice'],
  ['serves a path below', '/mcp/below', 'https://mcp.example.com/other', 'rejected: the proof is for another URL'],
])('a proof is compared with the public URL where a proxy %s', async (_what, url, htu, outcome) => {
  const token = await boundToken()
  const proof = await prove(token, { claims: { htu } })
  expect(await authenticate(create(), { ...withProof(token, proof), url })).toBe(outcome)
})

test('every proof is rejected if the server has no resource URL', async () => {
  const token = await boundToken()
  const outcome = await authenticate(create({ resource: false }), withProof(token, await prove(token)))
  expect(outcome).toBe('rejected: the proof is for another URL')
})

test.each([
  ['of the maximum age', () => ({ iat: now() - 89 })],
  ['from the future, within the clock tolerance', () => ({ iat: now() + 30 })],
  ['with an id of the maximum length', () => ({ jti: 'x'.repeat(256) })],
])('a proof %s is accepted', async (_what, claims) => {
  const token = await boundToken()
  const proof = await prove(token, { claims: claims() })
  expect(await authenticate(create(), withProof(token, proof))).toBe('alice')
})

test('a token with the wrong scheme is challenged for a proof, by a server that accepts both schemes', async () => {
  const host = await openProtectedHost(create())
  expect(await callWho(host, {})).toMatchObject({ status: 401, challenge: `Bearer ${metadata}` })
  for (const authorization of [`Bearer ${await boundToken()}`, `DPoP ${await provider.sign()}`]) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await callWho(host, { authorization })).toMatchObject({ status: 401, challenge: notValid })
  }
})

test('proofs are checked with the configured clock tolerance', async () => {
  const authenticator = create({ clockToleranceSeconds: 0 })
  const token = await boundToken()
  const outcomes: (string | null)[] = []
  for (const iat of [now() + 1, now(), now() - 60]) {
    // oxlint-disable-next-line no-await-in-loop
    const proof = await prove(token, { claims: { iat } })
    // oxlint-disable-next-line no-await-in-loop
    outcomes.push(await authenticate(authenticator, withProof(token, proof)))
  }
  const rejected = 'rejected: the iat of the proof is too far from now'
  expect(outcomes).toEqual([rejected, 'alice', rejected])
})

test('`requiredScopes` applies to bound tokens, too', async () => {
  const authenticator = create({ requiredScopes: ['read'] })
  const outcomes: (string | null)[] = []
  for (const scope of ['write', 'read']) {
    // oxlint-disable-next-line no-await-in-loop
    const token = await boundToken({ scope })
    // oxlint-disable-next-line no-await-in-loop
    outcomes.push(await authenticate(authenticator, withProof(token, await prove(token))))
  }
  expect(outcomes).toEqual(['forbidden without read', 'alice'])
})

test.each([
  [undefined, {}],
  [false, {}],
  [true, { dpop_bound_access_tokens_required: true }],
])('the metadata announces the proof algorithms, and whether proofs are required: %j', async (required, more) => {
  const { app } = await openProtectedHost(create({ dpop: required === undefined ? {} : { required } }))
  const document = (await app.inject('/.well-known/oauth-protected-resource/mcp')).json<object>()
  expect(document).toEqual({
    resource: audience,
    authorization_servers: [provider.issuer],
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519'],
    ...more,
  })
})

test('a bearer token is rejected with a challenge if proofs are required', async () => {
  const host = await openProtectedHost(create({ dpop: { required: true } }))
  expect(await callWho(host, {})).toMatchObject({ status: 401, challenge: `${algs}, ${metadata}` })
  expect(await callWho(host, { authorization: `Bearer ${await provider.sign()}` })).toMatchObject({
    status: 401,
    challenge: notValid,
  })
  const token = await boundToken()
  const { headers } = withProof(token, await prove(token))
  expect(await callWho(host, headers)).toMatchObject({ status: 200 })
  expect(await callWho(host, headers)).toMatchObject({
    status: 401,
    challenge: `${algs}, error="invalid_dpop_proof", error_description="the DPoP proof is not valid", ${metadata}`,
  })
})
