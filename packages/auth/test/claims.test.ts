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
  ['by name', { roles: ['admin', 'editor'] }, {}, ['admin', 'editor']],
  ['in one text', { roles: 'admin editor  admin' }, {}, ['admin', 'editor']],
  ['of another name', { groups: ['admin'], roles: ['none'] }, { rolesClaim: 'groups' }, ['admin']],
  ['under a URL', { [url]: ['admin'] }, { rolesClaim: url }, ['admin']],
  ['within another claim', { realm_access: { roles: ['admin'] } }, { rolesClaim: nested }, ['admin']],
  ['that are texts, of a list', { roles: ['admin', 5, null, '', ['x'], 'admin'] }, {}, ['admin']],
  ['where there are none', {}, { rolesClaim: nested }, []],
  ['where there are none within', { realm_access: {} }, { rolesClaim: nested }, []],
  ['where something else is in the way', { realm_access: 'roles' }, { rolesClaim: nested }, []],
  ['where null is in the way', { realm_access: null }, { rolesClaim: nested }, []],
  ['that every object has', {}, { rolesClaim: ['constructor', 'name'] }, []],
])('roles are those %s', async (_which, claims, options, roles) => {
  expect((await callerOf(claims, options))?.roles).toEqual(roles)
})

test.each<[string, object, Partial<JwtBearerOptions>, readonly string[]]>([
  ['of scope', { scope: 'read write', scp: ['none'] }, {}, ['read', 'write']],
  ['of scp, where there is no scope', { scp: ['read', 'write'] }, {}, ['read', 'write']],
  [
    'of the claim that is named, and of no other',
    { scope: 'none', rights: ['read'] },
    { scopesClaim: 'rights' },
    ['read'],
  ],
  ['of none, where the claim that is named is not there', { scope: 'none' }, { scopesClaim: 'rights' }, []],
])('scopes are those %s', async (_which, claims, options, scopes) => {
  expect((await callerOf(claims, options))?.scopes).toEqual(scopes)
})

test('the subject is the claim that is named, and without it there is nobody', async () => {
  const options = { subjectClaim: ['user', 'id'] }
  expect((await callerOf({ user: { id: 'ada' } }, options))?.subject).toBe('ada')
  expect(await authenticate(create(options), withToken(await provider.sign()))).toBe('refused: no subject')
})

test('a token for one of several audiences is taken', async () => {
  const authenticator = create({ audience: ['api://mcp', audience] })
  const tokens = ['api://mcp', audience, ['api://other', audience]].map((aud) => provider.sign({ aud }))
  const outcomes = (await Promise.all(tokens)).map((token) => authenticate(authenticator, withToken(token)))
  expect(await Promise.all(outcomes)).toEqual(['alice', 'alice', 'alice'])
})

test('whoever adds roles to the principal of another authenticator keeps what clients are told', async () => {
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
