import type { Finding } from '../src/doctor/finding.js'
import { checkLogin } from '../src/doctor/login/check-login.js'
import { runCommand } from './run-command.js'
import { FaultyLogin, metadataOf, notFound, type Parts } from './support/faulty-login.js'

let login: FaultyLogin | undefined

afterEach(async () => {
  await login?.close()
  login = undefined
})

/** Returns the findings that are not `ok`. Starts no program, because that takes a second. */
async function examine(parts: Partial<Parts>, client?: string) {
  login = await FaultyLogin.start(parts)
  const flags = new Map(client === undefined ? [] : [['as', [client]]])
  const findings: readonly Finding[] = await checkLogin(new URL(`${login.origin}/mcp`), flags)
  return findings.filter(({ status }) => status !== 'ok')
}

/** Replaces members of the metadata of the authorization server. */
const metadata = (changes: Readonly<Record<string, unknown>>): Partial<Parts> => ({
  server: (origin, place) => (place === '' ? { body: { ...metadataOf(origin), ...changes } } : notFound),
})

/** Replaces members of the resource metadata. */
const resource = (changes: (origin: string, path: string) => object): Partial<Parts> => ({
  resource: (origin, path) => ({
    body: { resource: `${origin}/mcp`, authorization_servers: [origin], ...changes(origin, path) },
  }),
})

const page = '<!doctype html><title>App</title>'
const all = ['claude', 'claude-code', 'chatgpt', 'vscode', 'cursor', 'codex']

test('a login without faults has none, and each request is sent once', async () => {
  expect(await examine({})).toEqual([])
  const gets = login?.requests.filter((one) => one.startsWith('GET /.well-known/')) ?? []
  // One document is requested again as a web page would.
  expect(gets.length).toBeLessThanOrEqual(new Set(gets).size + 1)
})

test.each<[string, Partial<Parts>, string, string, readonly string[] | undefined]>([
  [
    'metadata that name the origin',
    resource((origin) => ({ resource: origin })),
    'fail resource',
    'but clients call',
    ['vscode'],
  ],
  [
    'metadata of another endpoint',
    resource((origin) => ({ resource: `${origin}/other` })),
    'fail resource',
    '/other',
    all,
  ],
  [
    'metadata with another resource at the root',
    resource((origin, path) => ({ resource: path === '' ? origin : `${origin}/mcp` })),
    'fail resource',
    'the documents at the root and at the path name different resources',
    undefined,
  ],
  [
    'metadata behind the login',
    { resource: () => ({ status: 401 }) },
    'warn resource',
    'requires a login itself (401)',
    undefined,
  ],
  [
    'an internal port in the challenge',
    { challenge: () => 'Bearer resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp"' },
    'fail challenge',
    'the challenge names http://127.0.0.1:8000/',
    undefined,
  ],
  [
    'a challenge without metadata',
    { challenge: () => 'Bearer realm="x"' },
    'warn challenge',
    'have to guess',
    undefined,
  ],
  ['no challenge', { challenge: () => null }, 'warn challenge', 'without WWW-Authenticate', undefined],
  [
    'a web page instead of the metadata',
    { resource: () => ({ body: page }), server: () => ({ body: page }) },
    'fail resource',
    'is a web page instead of JSON',
    undefined,
  ],
  [
    'an issuer with a path, whose metadata are at the root',
    resource((origin) => ({ authorization_servers: [`${origin}/tenant`] })),
    'fail issuer',
    'no metadata of http',
    all,
  ],
  [
    'metadata that only follow the path of the issuer',
    {
      ...resource((origin) => ({ authorization_servers: [`${origin}/realm`] })),
      server: (origin, place) =>
        place === '/realm/.well-known/openid-configuration'
          ? { body: { ...metadataOf(origin), issuer: `${origin}/realm` } }
          : notFound,
    },
    'warn issuer',
    'where Claude does not look',
    ['claude'],
  ],
  [
    'metadata that are kept for weeks',
    {
      server: (origin, place) =>
        place === '' ? { body: metadataOf(origin), headers: { 'cache-control': 'public, max-age=2592000' } } : notFound,
    },
    'warn caching',
    'cached for 30 days',
    undefined,
  ],
  [
    'an issuer that differs by a slash',
    resource((origin) => ({ authorization_servers: [`${origin}/`] })),
    'fail issuer',
    'name the issuer',
    ['codex'],
  ],
  [
    'metadata of another issuer',
    metadata({ issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' }),
    'fail issuer',
    '{tenantid}',
    all,
  ],
  [
    'metadata without PKCE',
    metadata({ code_challenge_methods_supported: undefined }),
    'fail pkce',
    'do not announce PKCE',
    all.filter((name) => name !== 'vscode'),
  ],
  [
    'no CORS',
    { hasCors: false },
    'warn web pages',
    'the resource metadata, registration_endpoint, token_endpoint',
    undefined,
  ],
  [
    'metadata of the login at the server only',
    { resource: () => notFound },
    'warn resource',
    'only older rules lead to the login',
    undefined,
  ],
  ['no registration', metadata({ registration_endpoint: undefined }), 'fail client', 'cannot register', all],
  [
    'a provider that rejects the resource',
    {
      authorize: (parameters) =>
        parameters.has('resource')
          ? { body: '<p>AADSTS9010010: The resource parameter does not match the scopes.</p>' }
          : { body: page },
    },
    'fail authorize',
    'AADSTS9010010: The resource parameter does not match the scopes.. It is accepted without `resource`',
    all,
  ],
  [
    'a registration that rejects the scheme of an app',
    {
      register: ({ redirect_uris: uris }) =>
        uris.every((uri) => uri.startsWith('http'))
          ? { status: 201, body: { client_id: `c ${uris.join(' ')}`, redirect_uris: uris } }
          : { status: 400, body: { error: 'invalid_redirect_uri', error_description: 'must use HTTPS' } },
    },
    'fail client',
    'invalid_redirect_uri must use HTTPS',
    ['cursor'],
  ],
  [
    'exact ports of the machine of the user',
    {
      authorize: (parameters, registered) =>
        registered.includes(parameters.get('redirect_uri') ?? '')
          ? { body: page }
          : { status: 400, body: '<h1>redirect_uri did not match</h1>' },
    },
    'warn authorize',
    "a login from another port of the user's machine is rejected: status 400: redirect_uri did not match",
    ['claude-code', 'vscode', 'codex'],
  ],
  [
    'scopes that clients have not registered',
    {
      authorize: (parameters) =>
        parameters.has('scope')
          ? {
              status: 302,
              headers: {
                location: `${parameters.get('redirect_uri')}?${new URLSearchParams({
                  error: 'invalid_scope',
                  state: parameters.get('state') ?? '',
                  iss: login?.origin ?? '',
                }).toString()}`,
              },
            }
          : { body: page },
    },
    'fail authorize',
    'invalid_scope. It is accepted without scopes',
    all,
  ],
  [
    'null in the registration',
    {
      register: ({ redirect_uris: uris }) => ({
        status: 201,
        body: { client_id: 'c', redirect_uris: uris, contacts: null },
      }),
    },
    'fail client',
    'null in contacts',
    all,
  ],
  [
    'a registration with the redirect URI of the server',
    {
      register: () => ({ status: 201, body: { client_id: 'c', redirect_uris: ['https://mcp.example.com/callback'] } }),
    },
    'fail client',
    'names https://mcp.example.com/callback instead of',
    all,
  ],
  [
    'token errors with status 200, as GitHub sends them',
    { token: () => ({ body: { error: 'bad_verification_code' } }) },
    'fail token',
    'with status 200',
    undefined,
  ],
  [
    'a list as token error',
    { token: () => ({ status: 400, body: [{ message: 'no' }] }) },
    'fail token',
    'instead of JSON with error',
    undefined,
  ],
  [
    'unknown clients that get 400',
    { token: () => ({ status: 400, body: { error: 'invalid_client' } }) },
    'warn token',
    'clients register again only after 401',
    undefined,
  ],
  [
    'an address that is a command',
    metadata({ authorization_endpoint: 'file:///c:/windows/system32/calc.exe' }),
    'fail authorize',
    'authorization_endpoint is file:///c:/windows',
    all,
  ],
  [
    'a document without an end',
    { server: () => ({ body: { issuer: 'x'.repeat(300_000) } }) },
    'fail issuer',
    'larger than 256 KiB',
    all,
  ],
])('toolwright doctor --login finds %s', async (_fault, parts, check, found, clients) => {
  const bad = await examine(parts)

  const expected = bad.find((one) => `${one.status} ${one.check}` === check && one.found.includes(found))
  expect(expected ?? bad).toMatchObject({ found: expect.stringContaining(found), fix: expect.any(String) })
  expect(expected?.clients).toEqual(clients)
})

test('toolwright doctor --login checks the state and the issuer of errors that return to the client', async () => {
  const bad = await examine(
    {
      authorize: (parameters) => ({
        status: 302,
        headers: { location: `${parameters.get('redirect_uri')}?error=access_denied&state=other` },
      }),
    },
    'chatgpt',
  )
  expect(bad.map(({ found }) => found)).toEqual([
    'the authorization request is rejected: access_denied',
    'the response changes the state to other',
    expect.stringContaining('the response has the iss , but the metadata promise http'),
  ])
})

test('toolwright doctor --login does not request addresses of this machine for a server elsewhere', async () => {
  const bad = await examine(
    resource(() => ({ authorization_servers: ['http://169.254.169.254/latest'] })),
    'codex',
  )
  expect(bad[0]?.found).toContain('which is neither HTTPS nor on the machine of the server')
})

test('toolwright doctor --login shows texts of a server without escape sequences', async () => {
  const escape = '\u001B]0;owned\u0007\u001B[2J'
  login = await FaultyLogin.start({
    authorize: () => ({ status: 400, body: `<h1>${escape}no\u202E</h1>` }),
    register: () => ({ status: 201, body: { client_id: `c${escape}` } }),
  })
  const { code, stdout } = await runCommand(['doctor', '--login', `${login.origin}/mcp`, '--as', 'claude'])
  expect(code).toBe(1)
  expect(stdout).toMatch(/fail {2}authorize {2,}the authorization request is rejected: status 400: /)
  // oxlint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/)
})

test.each<[string, Partial<Parts>]>([
  ['tags without an end', { authorize: () => ({ status: 400, body: '<style'.repeat(40_000) }) }],
  ['values of any depth', { server: () => ({ body: `{"issuer":${'['.repeat(60_000)}${']'.repeat(60_000)}}` }) }],
  [
    'a challenge of many parts',
    { challenge: (origin) => `Basic realm="x", Bearer resource_metadata="${origin}/.well-known/${'a'.repeat(9000)}"` },
  ],
  ['redirects in a circle', { authorize: () => ({ status: 302, headers: { location: '/authorize' } }) }],
])('toolwright doctor --login ends soon for %s', async (_what, parts) => {
  const began = performance.now()
  await examine(parts)
  expect(performance.now() - began).toBeLessThan(20_000)
})

test.each([
  [['doctor', '--login'], '--login needs the URL of a server'],
  [
    ['doctor', '--login', 'http://127.0.0.1:1/mcp', '--as', 'netscape'],
    "--as is 'netscape'. With --login, give one of claude,",
  ],
])('toolwright %j is a mistake of the user', async (args, message) => {
  const { code, stderr } = await runCommand(args)
  expect(stderr).toContain(message)
  expect(code).toBe(64)
})

test('toolwright doctor --login says that the server does not run', async () => {
  const { code, stdout } = await runCommand(['doctor', '--login', 'http://127.0.0.1:1/mcp'])
  expect(stdout).toContain('no answer of http://127.0.0.1:1/mcp')
  expect(code).toBe(1)
})
