import { type Authenticator, type JwtBearerOptions, jwtBearer, type Principal } from 'toolwright'
import { authenticate, principalOf, withToken } from './support/authenticate.js'
import { audience, IdentityProvider } from './support/identity-provider.js'
import { bearer, callWho, closeHosts, openProtectedHost, WhoTools } from './support/protected-host.js'

let provider: IdentityProvider

beforeAll(async () => {
  provider = await IdentityProvider.start()
})
afterEach(closeHosts)
afterAll(() => provider.stop())

function create(options: Partial<JwtBearerOptions>) {
  return jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience, ...options })
}

async function callerOf(claims: object, options: Partial<JwtBearerOptions> = {}): Promise<Principal | null> {
  return principalOf(create(options), withToken(await provider.sign({ ...claims })))
}

const nested = ['realm_access', 'roles']
const url = 'https://example.com/roles'

test.each<[string, object, Partial<JwtBearerOptions>, readonly string[]]>([
  ['from the claim with the default name', { roles: ['admin', 'editor'] }, {}, ['admin', 'editor']],
  ['from a space-separated string', { roles: 'admin editor  admin' }, {}, ['admin', 'editor']],
  ['from a claim with another name', { groups: ['admin'], roles: ['none'] }, { rolesClaim: 'groups' }, ['admin']],
  ['from a claim whose name is a URL', { [url]: ['admin'] }, { rolesClaim: url }, ['admin']],
  ['from a nested claim', { realm_access: { roles: ['admin'] } }, { rolesClaim: nested }, ['admin']],
  ['that are strings, out of a mixed list', { roles: ['admin', 5, null, '', ['x'], 'admin'] }, {}, ['admin']],
  ['as an empty list if the claim is missing', {}, { rolesClaim: nested }, []],
  ['as an empty list if the nested claim is missing', { realm_access: {} }, { rolesClaim: nested }, []],
  ['as an empty list if the parent is not an object', { realm_access: 'roles' }, { rolesClaim: nested }, []],
  ['as an empty list if the parent is null', { realm_access: null }, { rolesClaim: nested }, []],
  ['as an empty list for a name of Object.prototype', {}, { rolesClaim: ['constructor', 'name'] }, []],
])('roles are read %s', async (_which, claims, options, roles) => {
  expect((await callerOf(claims, options))?.roles).toEqual(roles)
})

test.each<[string, object, Partial<JwtBearerOptions>, readonly string[]]>([
  ['from scope', { scope: 'read write', scp: ['none'] }, {}, ['read', 'write']],
  ['from scp, if there is no scope', { scp: ['read', 'write'] }, {}, ['read', 'write']],
  ['only from the configured claim', { scope: 'none', rights: ['read'] }, { scopesClaim: 'rights' }, ['read']],
  ['as an empty list if the configured claim is missing', { scope: 'none' }, { scopesClaim: 'rights' }, []],
])('scopes are read %s', async (_which, claims, options, scopes) => {
  expect((await callerOf(claims, options))?.scopes).toEqual(scopes)
})

test('the subject is read from the configured claim, and a token without it is rejected', async () => {
  const options = { subjectClaim: ['user', 'id'] }
  expect((await callerOf({ user: { id: 'ada' } }, options))?.subject).toBe('ada')
  expect(await authenticate(create(options), withToken(await provider.sign()))).toBe('rejected: no subject')
})

test('a token for one of several audiences is accepted', async () => {
  const authenticator = create({ audience: ['api://mcp', audience] })
  const tokens = ['api://mcp', audience, ['api://other', audience]].map((aud) => provider.sign({ aud }))
  const outcomes = (await Promise.all(tokens)).map((token) => authenticate(authenticator, withToken(token)))
  expect(await Promise.all(outcomes)).toEqual(['alice', 'alice', 'alice'])
})

test('an authenticator that wraps another one to add roles keeps the challenges of the inner one', async () => {
  const tokens = create({ requiredScopes: ['read'] })
  const authentication: Authenticator = {
    ...tokens,
    authenticate: async (request) => {
      const principal = await tokens.authenticate(request)
      return principal === null ? null : { ...principal, roles: [...principal.roles, 'plan:pro'] }
    },
  }
  const host = await openProtectedHost(authentication)

  const stranger = await callWho(host, {})
  const known = await callWho(host, bearer(await provider.sign({ scope: 'read', roles: ['editor'] })))

  expect(stranger).toMatchObject({
    status: 401,
    challenge: expect.stringMatching(/^Bearer (?=.*scope="read")(?=.*resource_metadata=)/),
  })
  expect(known).toMatchObject({ status: 200 })
  expect(WhoTools.callers.at(-1)?.roles).toEqual(['editor', 'plan:pro'])
})
