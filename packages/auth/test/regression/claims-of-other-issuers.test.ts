import { type JwtBearerOptions, jwtBearer } from 'toolwright'
import { authenticate, principalOf, withToken } from '../support/authenticate.js'
import { audience, IdentityProvider } from '../support/identity-provider.js'

// Tokens of common issuers could not be used, because their claims have another form.

let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
})

afterEach(() => provider.stop())

const create = (options: Partial<JwtBearerOptions> = {}) =>
  jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience, ...options })

const problemsOf = (options: Partial<JwtBearerOptions>) => create(options).diagnostics?.map(({ message }) => message)

test.each(['client_id', 'azp', 'cid'])('tokens without aud are accepted from the clients in %s', async (claim) => {
  const authenticator = create({ audience: false, clients: ['app-1', 'app-2'], resource: audience })
  const outcome = async (client: unknown) =>
    authenticate(authenticator, withToken(await provider.sign({ aud: undefined, [claim]: client })))
  expect([await outcome('app-2'), await outcome('other'), await outcome(undefined)]).toEqual([
    'alice',
    'rejected: issued for another client: "other"',
    'rejected: issued for another client: missing',
  ])
})

test('clients restrict the tokens for an audience', async () => {
  const outcome = async (client: string) =>
    authenticate(create({ clients: ['app'] }), withToken(await provider.sign({ azp: client })))
  expect([await outcome('app'), await outcome('other')]).toEqual([
    'alice',
    'rejected: issued for another client: "other"',
  ])
})

test('no audience and no clients is a boot problem', () => {
  expect(problemsOf({ audience: false, resource: false })).toEqual([
    'jwtBearer: audience is false, and clients is empty. Name the clients whose tokens are for this server: ' +
      "clients: ['CLIENT-ID']. Or give an audience.",
  ])
})

test('a subject can be a number in a custom claim, but not in sub', async () => {
  const subject = async (claims: object, options: Partial<JwtBearerOptions> = {}) =>
    authenticate(create(options), withToken(await provider.sign({ ...claims })))
  const numeric = { subjectClaim: 'user_id' }
  expect([
    await subject({ user_id: 42 }, numeric),
    await subject({ user_id: 2 ** 53 }, numeric),
    await subject({ user_id: 1.5 }, numeric),
    await subject({ sub: 42 }),
    await subject({ sub: undefined }),
  ]).toEqual([
    '42',
    'rejected: no subject: the claim is a number',
    'rejected: no subject: the claim is a number',
    'rejected: no subject: the claim is a number',
    'rejected: no subject',
  ])
})

test('words of several claims are united', async () => {
  const authenticator = create({
    scopesClaim: [['scope'], ['permissions']],
    rolesClaim: [['roles'], ['realm_access', 'roles']],
  })
  const claims = { scope: 'a b', permissions: ['b', 'c'], roles: ['x'], realm_access: { roles: ['y'] } }
  const principal = await principalOf(authenticator, withToken(await provider.sign(claims)))
  expect([principal?.scopes, principal?.roles]).toEqual([
    ['a', 'b', 'c'],
    ['x', 'y'],
  ])
})

test('a path in one string is a boot problem, except a URL, and a name in an array', () => {
  expect(problemsOf({ rolesClaim: 'realm_access.roles' })).toEqual([
    "jwtBearer: rolesClaim is the string 'realm_access.roles'. Give the path to a nested claim: ['realm_access', 'roles']. " +
      "If the name itself has a dot, give ['realm_access.roles'].",
  ])
  expect(problemsOf({ rolesClaim: 'https://example.com/roles', scopesClaim: ['com.example.scopes'] })).toBeUndefined()
})
