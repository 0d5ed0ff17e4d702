import type { AddressInfo } from 'node:net'
import { type HostOptions, type JwtBearerOptions, jwtBearer } from 'toolwright'
import {
  auth0,
  clerk,
  cognito,
  descope,
  entra,
  keycloak,
  scalekit,
  stytch,
  supabase,
  workos,
} from 'toolwright/providers'
import { audience, IdentityProvider } from './support/identity-provider.js'
import { bearer, closeHosts, openProtectedHost, type ProtectedHost, WhoTools } from './support/protected-host.js'
import { Publisher } from './support/publisher.js'

const oauth = '/.well-known/oauth-authorization-server'
const openid = '/.well-known/openid-configuration'
const tenant = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490'
const api = '2f1bd6a4-8d0f-4d5e-9a44-33d1a6c0b9a1'
const project = 'project-test-11111111-1111-4111-8111-111111111111'
const url = audience

let provider: IdentityProvider
let publisher: Publisher

beforeEach(async () => {
  provider = await IdentityProvider.start()
  publisher = new Publisher(provider)
})

afterEach(async () => {
  jest.restoreAllMocks()
  await closeHosts()
  await provider.stop()
})

/** Sends requests for the hosts of a provider to the fake: some presets have no option for the host. */
function redirectHosts(...hosts: readonly string[]): void {
  const real = globalThis.fetch
  jest.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const to = new URL(input instanceof Request ? input.url : input)
    return real(hosts.includes(to.host) ? new URL(to.pathname, provider.issuer) : input, init)
  })
}

interface Example {
  readonly options: () => JwtBearerOptions
  /** Paths of the metadata and of the keys, as the provider has them. */
  readonly documents: () => Readonly<Record<string, unknown>>
  /** Claims that the provider puts into the access tokens of an MCP client. */
  readonly claims: () => Readonly<Record<string, unknown>>
  readonly header?: { readonly typ: string }
  readonly principal: {
    readonly subject: string
    readonly roles: readonly string[]
    readonly scopes: readonly string[]
  }
  readonly servers: () => readonly string[]
  /** Claims of tokens that have to be rejected. `undefined` removes a claim. */
  readonly rejected: Readonly<Record<string, () => Readonly<Record<string, unknown>>>>
  /** Hosts that the preset fetches from. */
  readonly hosts?: readonly string[]
}

const poolIssuer = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_aBcDeFgHi'
const ann = { subject: 'ann', roles: [], scopes: ['mcp.read'] }
const at = (path: string): string => `${provider.issuer}${path}`
const metadata = (issuer: string, keys: string): object => ({ issuer, jwks_uri: keys })
const domain = (): string => provider.issuer

const examples: Readonly<Record<string, Example>> = {
  auth0: {
    options: () => auth0({ url, domain: domain() }),
    documents: () => ({
      [openid]: metadata(at('/'), at('/.well-known/jwks.json')),
      '/.well-known/jwks.json': publishedKeys(),
    }),
    claims: () => ({
      iss: at('/'),
      sub: 'auth0|ann',
      aud: [url, at('/userinfo')],
      azp: 'tpc_client',
      scope: 'openid mcp.read',
      permissions: ['mcp.write'],
    }),
    header: { typ: 'at+jwt' },
    principal: { subject: 'auth0|ann', roles: [], scopes: ['openid', 'mcp.read', 'mcp.write'] },
    servers: () => [at('/')],
    rejected: {
      'without an API': () => ({ aud: at('/userinfo') }),
      'of an issuer without the slash': () => ({ iss: at('') }),
    },
  },
  workos: {
    options: () => workos({ url, domain: domain() }),
    documents: () => ({ [oauth]: metadata(at(''), at('/oauth2/jwks')), '/oauth2/jwks': publishedKeys() }),
    claims: () => ({ sub: 'user_01', aud: url, org_id: 'org_1', role: 'admin', permissions: ['mcp.read'], jti: 'j' }),
    principal: { subject: 'user_01', roles: ['admin'], scopes: ['mcp.read'] },
    servers: () => [at('')],
    rejected: {
      'of a session': () => ({ aud: undefined, sid: 'session_1' }),
      'for another resource': () => ({ aud: `${url}2` }),
    },
  },
  descope: {
    options: () => descope({ url, issuer: at(`/v1/apps/agentic/P2abc/MS2def${openid}`) }),
    documents: () => ({
      [`/v1/apps/agentic/P2abc/MS2def${openid}`]: metadata(at('/v1/apps/agentic/P2abc/MS2def'), at('/P2abc/keys')),
      '/P2abc/keys': publishedKeys(),
    }),
    claims: () => ({ iss: at('/v1/apps/agentic/P2abc/MS2def'), sub: 'ann', aud: ['P2abc', url], scope: 'mcp.read' }),
    principal: ann,
    servers: () => [at('/v1/apps/agentic/P2abc/MS2def')],
    rejected: {
      'of another MCP server': () => ({ iss: at('/v1/apps/agentic/P2abc/MS2other') }),
      'of another project': () => ({ aud: ['P2other'] }),
    },
  },
  keycloak: {
    options: () => keycloak({ url, issuer: at('/realms/main'), client: 'weather' }),
    documents: () => ({
      [`/realms/main${openid}`]: metadata(at('/realms/main'), at('/realms/main/certs')),
      '/realms/main/certs': publishedKeys(),
    }),
    claims: () => ({
      iss: at('/realms/main'),
      sub: 'ann',
      aud: [url, 'account'],
      typ: 'Bearer',
      azp: 'dynamic-1',
      scope: 'mcp.read',
      realm_access: { roles: ['staff'] },
      resource_access: { weather: { roles: ['forecaster'] } },
    }),
    principal: { subject: 'ann', roles: ['staff', 'forecaster'], scopes: ['mcp.read'] },
    servers: () => [at('/realms/main')],
    rejected: {
      'without the audience mapper': () => ({ aud: 'account' }),
      'that identify the user to the client': () => ({ typ: 'ID', nonce: 'n' }),
      'without the scope basic, which have no subject': () => ({ sub: undefined }),
    },
  },
  clerk: {
    options: () => clerk({ url, domain: domain() }),
    documents: () => ({
      [oauth]: metadata(at(''), at('/.well-known/jwks.json')),
      '/.well-known/jwks.json': publishedKeys(),
    }),
    claims: () => ({ sub: 'user_2ab', aud: undefined, client_id: 'client_x', scope: 'mcp.read', jti: 'oat_1' }),
    header: { typ: 'at+jwt' },
    principal: { subject: 'user_2ab', roles: [], scopes: ['mcp.read'] },
    servers: () => [at('')],
    rejected: { 'of a session': () => ({ client_id: undefined, azp: 'https://app.example.com', sid: 'sess_1' }) },
  },
  supabase: {
    options: () => supabase({ url, project: domain() }),
    documents: () => ({
      [`${oauth}/auth/v1`]: metadata(at('/auth/v1'), at('/auth/v1/.well-known/jwks.json')),
      '/auth/v1/.well-known/jwks.json': publishedKeys(),
    }),
    claims: () => ({
      iss: at('/auth/v1'),
      sub: 'ann',
      aud: 'authenticated',
      role: 'authenticated',
      client_id: '9a8b',
      session_id: 's',
      scope: 'mcp.read',
      app_metadata: { provider: 'email', roles: ['staff'] },
    }),
    principal: { subject: 'ann', roles: ['staff', 'authenticated'], scopes: ['mcp.read'] },
    servers: () => [at('/auth/v1')],
    rejected: {
      'of a session': () => ({ client_id: undefined }),
      'of an anonymous key': () => ({ aud: undefined, role: 'anon' }),
    },
  },
  scalekit: {
    options: () => scalekit({ url, environment: domain(), resourceId: 'res_1' }),
    documents: () => ({ '/keys': publishedKeys() }),
    claims: () => ({ iss: at('/resources/res_1'), sub: 'ann', aud: ['res_1'], client_id: 'c', scope: 'mcp.read' }),
    principal: ann,
    servers: () => [at('/resources/res_1')],
    rejected: {
      'of another resource': () => ({ aud: ['res_2'] }),
      'of the issuer of another resource': () => ({ iss: at('/resources/res_2') }),
    },
  },
  stytch: {
    options: () => stytch({ url, domain: domain(), projectId: project }),
    documents: () => ({ [oauth]: metadata(at(''), at('/jwks')), '/jwks': publishedKeys() }),
    claims: () => ({ sub: 'ann', aud: [project], client_id: 'connected-app-test-1', scope: 'mcp.read' }),
    principal: ann,
    servers: () => [at('')],
    rejected: {
      'of a session': () => ({ client_id: undefined }),
      'of another project': () => ({ aud: ['project-test-2'] }),
    },
  },
  cognito: {
    options: () => cognito({ url, region: 'eu-central-1', userPoolId: 'eu-central-1_aBcDeFgHi' }),
    documents: () => ({
      [`/eu-central-1_aBcDeFgHi${openid}`]: metadata(poolIssuer, `${poolIssuer}/keys`),
      '/eu-central-1_aBcDeFgHi/keys': publishedKeys(),
    }),
    claims: () => ({
      iss: poolIssuer,
      sub: 'ann',
      aud: url,
      token_use: 'access',
      client_id: 'app',
      scope: 'mcp.read',
      'cognito:groups': ['staff'],
    }),
    principal: { subject: 'ann', roles: ['staff'], scopes: ['mcp.read'] },
    servers: () => [poolIssuer],
    rejected: {
      'without resource binding': () => ({ aud: undefined }),
      'that identify the user to the client': () => ({ token_use: 'id', aud: 'app' }),
    },
    hosts: ['cognito-idp.eu-central-1.amazonaws.com'],
  },
  entra: {
    options: () => entra({ url, tenant, clientId: api, authority: domain(), scopes: ['mcp.read'] }),
    documents: () => ({ [`/${tenant}/discovery/v2.0/keys`]: publishedKeys() }),
    claims: () => ({
      iss: at(`/${tenant}/v2.0`),
      sub: 'pairwise',
      oid: 'oid-of-ann',
      tid: tenant,
      aud: api,
      azp: 'vs-code',
      scp: 'mcp.read',
      roles: ['Reader'],
      ver: '2.0',
    }),
    principal: { subject: 'oid-of-ann', roles: ['Reader'], scopes: ['mcp.read'] },
    servers: () => [at(`/${tenant}/v2.0`)],
    rejected: {
      'for Microsoft Graph': () => ({ aud: '00000003-0000-0000-c000-000000000000' }),
      'of another tenant': () => ({ iss: at('/11111111-1111-1111-1111-111111111111/v2.0') }),
    },
  },
}

function publishedKeys(): object {
  return { keys: provider.keys.map(({ jwk }) => jwk) }
}

async function open(
  example: Example,
  options = example.options(),
  more: Partial<HostOptions> = {},
): Promise<ProtectedHost> {
  if (example.hosts !== undefined) redirectHosts(...example.hosts)
  publisher.documents = { '/keys': 404, ...example.documents() }
  const host = await openProtectedHost(jwtBearer(options), more)
  await host.app.listen({ host: '127.0.0.1', port: 0 })
  return host
}

async function call({ app }: ProtectedHost, token: string): Promise<number> {
  const { port } = app.server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...bearer(token) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who' } }),
  })
  await response.text()
  return response.status
}

describe.each(Object.entries(examples))('the preset %s', (_name, example) => {
  test('accepts the tokens of an MCP client', async () => {
    const host = await open(example)

    expect(await call(host, await provider.sign(example.claims(), example.header))).toBe(200)

    const { subject, roles, scopes } = WhoTools.callers[0] ?? {}
    expect({ subject, roles, scopes }).toEqual(example.principal)
  })

  test('sends clients to the provider, and names the exact URL of the endpoint', async () => {
    const { app } = await open(example)

    const { body } = await app.inject({
      url: '/.well-known/oauth-protected-resource/mcp',
      headers: { host: 'localhost' },
    })

    expect(JSON.parse(body)).toMatchObject({ resource: url, authorization_servers: example.servers() })
  })

  test.each(Object.entries(example.rejected))('rejects tokens %s', async (_tokens, changes) => {
    const host = await open(example)

    expect(await call(host, await provider.sign({ ...example.claims(), ...changes() }, example.header))).toBe(401)
  })
})

test('Clerk: an audience can be required, for an instance that adds it', async () => {
  const example = examples['clerk'] as Example
  const host = await open(example, { ...example.options(), audience: url })
  const statuses = [url, 'https://other.example.com/mcp', undefined].map(async (aud) =>
    call(host, await provider.sign({ ...example.claims(), aud }, example.header)),
  )
  expect(await Promise.all(statuses)).toEqual([200, 401, 401])
})

test('Cognito accepts tokens without aud only from listed clients', async () => {
  const example = examples['cognito'] as Example
  const pool = { url, region: 'eu-central-1', userPoolId: 'eu-central-1_aBcDeFgHi', clients: ['app'] }
  const host = await open(example, cognito(pool))
  const statuses = ['app', 'other'].map(async (client) =>
    call(host, await provider.sign({ ...example.claims(), aud: undefined, client_id: client })),
  )
  expect(await Promise.all(statuses)).toEqual([200, 401])
})

test('Scalekit and Entra accept the older issuer of their tokens, too', async () => {
  const { scalekit: first, entra: second } = examples as { scalekit: Example; entra: Example }
  const older = await open(first)
  expect(await call(older, await provider.sign({ ...first.claims(), iss: domain(), aud: [url] }))).toBe(200)

  const v1 = {
    iss: `https://sts.windows.net/${tenant}/`,
    aud: `api://${api}`,
    azp: undefined,
    appid: 'vs-code',
    ver: '1.0',
  }
  const host = await open(second)
  expect(await call(host, await provider.sign({ ...second.claims(), ...v1 }))).toBe(200)
})

test('Entra: clients request the full names of the scopes', async () => {
  const { app } = await open(examples['entra'] as Example)
  const { body } = await app.inject({ url: '/.well-known/oauth-protected-resource', headers: { host: 'localhost' } })
  expect(JSON.parse(body)).toMatchObject({ scopes_supported: [`api://${api}/mcp.read`] })
})

test('Entra: the short name of a scope in the token stands for the full name that the challenge requests', async () => {
  const example = examples['entra'] as Example
  const full = `api://${api}/mcp.read`
  const options = { ...example.options(), requiredScopes: [full] }
  const impliedScopes = { 'mcp.read': [full] }
  const host = await open(example, options, { authorization: { impliedScopes } })

  expect(await call(host, await provider.sign(example.claims()))).toBe(200)
  expect(await call(host, await provider.sign({ ...example.claims(), scp: 'mcp.write' }))).toBe(403)
  const { headers } = await host.app.inject({ method: 'POST', url: '/mcp', headers: { host: 'localhost' } })
  expect(headers['www-authenticate']).toContain(`scope="${full}"`)
})

const noUrl =
  "Give the public URL of the endpoint: 'https://mcp.example.com/mcp'. http: is allowed for this machine only. [bad-option]"

test.each<[string, () => JwtBearerOptions, readonly string[]]>([
  [
    'auth0 without options',
    () => auth0({} as never),
    [
      `auth0: url is undefined. ${noUrl}`,
      "auth0: domain is undefined. Give the host: 'acme.eu.auth0.com'. [bad-option]",
    ],
  ],
  [
    'no object',
    () => auth0('acme.eu.auth0.com' as never),
    expect.arrayContaining([
      "auth0: its options is the string 'acme.eu.auth0.com'. Give an object: auth0({ … }). [bad-option]",
    ]),
  ],
  [
    'a misspelt option',
    () => keycloak({ url, issuer: 'https://a.example/realms/a', audience: 'x' } as never),
    [expect.stringContaining('keycloak: ')],
  ],
  [
    'a domain with a path',
    () => clerk({ url, domain: 'clerk.example.com/v1' }),
    ["clerk: domain is the string 'clerk.example.com/v1'. Give the host: 'clerk.example.com'. [bad-option]"],
  ],
  [
    'plain HTTP',
    () => supabase({ url, project: 'http://abc.supabase.co' }),
    [
      "supabase: project is the string 'http://abc.supabase.co'. Give the URL: 'https://abcdefgh.supabase.co'. [bad-option]",
    ],
  ],
  [
    'a shared tenant',
    () => entra({ url, tenant: 'organizations', clientId: api }),
    ["entra: tenant is the string 'organizations'. Give the id: '00000000-0000-0000-0000-000000000000'. [bad-option]"],
  ],
  [
    'no id of a project',
    () => stytch({ url, domain: 'a.example', projectId: 'secret-1' }),
    ["stytch: projectId is the string 'secret-1'. Give the id: 'project-live-…'. [bad-option]"],
  ],
])('a mistake in a preset is found at boot, with its name: %s', (_mistake, create, expected) => {
  const { diagnostics = [] } = jwtBearer(create())
  expect(diagnostics.map(({ code, message }) => `${message} [${code}]`)).toEqual(expected)
})

test('mistakes of a preset and of options next to it are found together', () => {
  const { diagnostics = [] } = jwtBearer({ ...workos({ url, domain: '' }), algorithms: ['HS256' as never] })
  expect(diagnostics.map(({ message }) => message)).toEqual([
    "workos: domain is the string ''. Give the host: 'acme.authkit.app'.",
    expect.stringContaining("jwtBearer: algorithms has the string 'HS256'"),
  ])
})

test.each([
  ["'every'", { clients: 'every' }],
  ['an empty name', { clients: [''] }],
])('clients cannot be %s', (_name, clients) => {
  const options = { issuer: 'https://login.example.com', audience: url, ...clients } as never
  expect(jwtBearer(options).diagnostics?.[0]?.message).toContain("Give an array of strings, or 'any'.")
})
