import { generateKeyPairSync } from 'node:crypto'
import Fastify from 'fastify'
import {
  type Authenticator,
  anyOf,
  apiKeys,
  authenticateWith,
  BootError,
  createHost,
  type HostOptions,
  introspection,
  jwtBearer,
  McpTool,
  mcp,
} from 'toolwright'

const aKeyObject = generateKeyPairSync('ed25519').publicKey

function diagnosticsOf({ diagnostics = [] }: Authenticator): readonly string[] {
  return diagnostics.map(({ code, message }) => `${message} [${code}]`)
}

const good = {
  issuer: 'https://login.example.com',
  jwks: 'https://login.example.com/keys',
  audience: 'https://mcp.example.com/mcp',
}

const issuer = { issuer: good.issuer, jwks: good.jwks }

/** An issuer whose keys are found through its metadata. */
const discovered = { jwks: undefined }

const forged =
  'An attacker on the network could forge its responses. Give an https: URL. http: is allowed for this machine only.'
const noAudience =
  'Without an audience, tokens for any other server would be accepted. Give the value of aud in tokens for this ' +
  "server: audience: 'https://mcp.example.com/mcp'. [bad-option]"
const publicKeys =
  'Tokens must be signed with a private key of their issuer. Give some of RS256, RS384, RS512, PS256, PS384, PS512, ' +
  'ES256, ES384, ES512, EdDSA, Ed25519. [bad-option]'

const noUrl = 'Give an absolute URL: https://login.example.com. [bad-option]'
const plainIssuer = `jwtBearer: issuer is 'http://login.example.com/'. ${forged} [bad-option]`
const nowhere = 'issuer has more than a host and a path, such as a query. No metadata URL can be derived from it.'

test.each<[string, object, string]>([
  ['a plain HTTP issuer', { issuer: 'http://login.example.com' }, plainIssuer],
  [
    'plain HTTP keys',
    { jwks: 'http://login.example.com/keys' },
    `jwtBearer: jwks is 'http://login.example.com/keys'. ${forged} [bad-option]`,
  ],
  [
    'JWKS of this machine that is neither a URL nor keys',
    { jwks: 'ftp://localhost/keys' },
    `jwtBearer: jwks is 'ftp://localhost/keys'. ${forged} [bad-option]`,
  ],
  ['an issuer that is not a URL', { issuer: 'me' }, `jwtBearer: issuer is the string 'me'. ${noUrl}`],
  ['no audience', { audience: undefined, resource: false }, `jwtBearer: audience is undefined. ${noAudience}`],
  ['an empty audience', { audience: '', resource: false }, `jwtBearer: audience is the string ''. ${noAudience}`],
  ['no audiences', { audience: [], resource: false }, `jwtBearer: audience is an array. ${noAudience}`],
  ['alg none', { algorithms: ['RS256', 'none'] }, `jwtBearer: algorithms has the string 'none'. ${publicKeys}`],
  ['a symmetric algorithm', { algorithms: ['HS256'] }, `jwtBearer: algorithms has the string 'HS256'. ${publicKeys}`],
  ['no algorithm', { algorithms: [] }, `jwtBearer: algorithms is empty. ${publicKeys}`],
  [
    'too much tolerance',
    { clockToleranceSeconds: 301 },
    'jwtBearer: clockToleranceSeconds is 301. Tokens would be valid that much longer than their issuer intended. ' +
      'Give 0 to 300, and synchronize the clocks. [bad-option]',
  ],
  [
    'no resource',
    { audience: 'api://mcp' },
    "jwtBearer: resource is missing, and no audience is a URL. Clients find the token issuers in the resource's metadata. " +
      "Give the server's URL as clients know it: resource: 'https://mcp.example.com/mcp'. Or set resource: false to serve no metadata. [bad-option]",
  ],
  [
    'a plain HTTP resource',
    { resource: 'http://mcp.example.com' },
    `jwtBearer: resource is 'http://mcp.example.com/'. ${forged} [bad-option]`,
  ],
  [
    'a resource with a fragment',
    { resource: 'https://a.example/#b' },
    "jwtBearer: resource is 'https://a.example/#b'. Give it without a fragment. [bad-option]",
  ],
  [
    'a secret key',
    { jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } },
    'jwtBearer: jwks has a secret key, which could also sign tokens. Give public keys only. [bad-option]',
  ],
  ...(
    [
      [null, ' is null'],
      [5, ' is 5'],
      [[], ' is an array'],
      [{}, '.keys is undefined'],
      [{ keys: null }, '.keys is null'],
      [{ keys: 'sk-live' }, '.keys is a string'],
      [{ keys: { 0: { kty: 'EC' } } }, '.keys is a plain object'],
      [{ keys: [] }, '.keys is empty'],
      [{ keys: [null] }, '.keys[0] is null'],
      [{ keys: [{ kty: 'EC' }, 'sk-live'] }, '.keys[1] is a string'],
      [{ keys: [[]] }, '.keys[0] is an array'],
      [{ keys: [{}] }, '.keys[0] is a plain object without a kty, which each JSON Web Key needs'],
      [
        { keys: [aKeyObject] },
        '.keys[0] is an instance of PublicKeyObject without a kty, which each JSON Web Key needs',
      ],
    ] as const
  ).map(([jwks, found]): [string, object, string] => [
    `keys that are none: ${JSON.stringify(jwks)}`,
    { jwks },
    `jwtBearer: jwks${found}. Give the URL of the issuer's keys, or the keys: { keys: [...] }. Or leave jwks out to use ` +
      "the URL in the issuer's metadata. [bad-option]",
  ]),
  ...['me:secret@', 'me@', ':secret@'].map((credentials): [string, object, string] => [
    `a URL of keys with ${credentials}`,
    { jwks: good.jwks.replace('//', `//${credentials}`) },
    'jwtBearer: jwks has a user name or password, but requests never send them. Remove them. [bad-option]',
  ]),
  [
    'a plain HTTP JWKS URL, without repeating the password in it',
    { jwks: 'http://me:secret@login.example.com/keys?a' },
    `jwtBearer: jwks is 'http://login.example.com/keys?a'. ${forged} [bad-option]`,
  ],
  [
    'JWKS with an entry that is not an object',
    { jwks: { keys: [{ kty: 'EC', sign: () => 1 }] } },
    "jwtBearer: jwks has a value that JSON cannot express. Give the URL of the issuer's keys, or the keys: { keys: [...] }. Or " +
      "leave jwks out to use the URL in the issuer's metadata. [bad-option]",
  ],
  ['an empty JWKS URL', { jwks: '' }, `jwtBearer: jwks is the string ''. ${noUrl}`],
  ['a plain HTTP issuer with discovery', { ...discovered, issuer: 'http://login.example.com' }, plainIssuer],
  ...['?tenant=a', '#a'].map((end): [string, object, string] => [
    `an issuer with ${end} that is asked for its keys`,
    { ...discovered, issuer: `https://login.example.com/${end}` },
    `jwtBearer: ${nowhere} Give jwks. [bad-option]`,
  ]),
  [
    'an issuer with a password and discovery',
    { ...discovered, issuer: 'https://me:secret@login.example.com' },
    `jwtBearer: ${nowhere} Give jwks. [bad-option]`,
  ],
  [
    'a duplicate issuer',
    { issuer: undefined, jwks: undefined, issuers: [issuer, issuer] },
    "jwtBearer: issuer 'https://login.example.com' is listed twice. Remove one. [bad-option]",
  ],
  [
    'both issuer and issuers',
    { issuers: [issuer] },
    'jwtBearer: give either issuer and jwks, or issuers. [bad-option]',
  ],
  [
    'no issuers',
    { issuer: undefined, jwks: undefined, issuers: [] },
    'jwtBearer: issuers is empty. Name at least one. [bad-option]',
  ],
  [
    'a cache time that is too long',
    { cache: { ttlSeconds: 7200 } },
    'jwtBearer: cache.ttlSeconds is 7200. Give a number from 0 to 3600. [bad-option]',
  ],
  [
    'a maximum age of 0 for keys',
    { keys: { cooldownSeconds: 0 } },
    'jwtBearer: keys.cooldownSeconds is 0. Give a number of at least 1. [bad-option]',
  ],
  [
    'proofs with a maximum age of 0',
    { dpop: { maxAgeSeconds: 0 } },
    'jwtBearer: dpop.maxAgeSeconds is 0. Give a number from 1 to 300. [bad-option]',
  ],
  [
    'proofs without a URL',
    { resource: false, dpop: { required: true } },
    "jwtBearer: dpop.required needs resource, because proofs name the server's URL. Give that URL as resource. [bad-option]",
  ],
  [
    'offline_access',
    { scopesSupported: ['offline_access'] },
    "jwtBearer: scopesSupported has 'offline_access', which clients request from the authorization server, not from this server. Remove it. [bad-option]",
  ],
  [
    'a dpop option that is not a boolean',
    { dpop: { required: 'true' } },
    "jwtBearer: dpop.required is the string 'true'. Give true or false. [bad-option]",
  ],
  [
    'an invalid proof store',
    { dpop: { proofStore: {} } },
    'jwtBearer: dpop.proofStore has no use. Give an object with the methods use. [bad-option]',
  ],
  ...(
    [
      ['subjectClaim', '', "the string ''"],
      ['rolesClaim', 5, '5'],
      ['rolesClaim', [], 'an array'],
      ['scopesClaim', ['realm', 5], 'an array'],
    ] as const
  ).map(([name, value, found]): [string, object, string] => [
    `a claim that is nowhere: ${name} ${JSON.stringify(value)}`,
    { [name]: value },
    `jwtBearer: ${name} is ${found}. Give the name of a claim, or an array of names as the path to a nested claim. [bad-option]`,
  ]),
  ...['requiredScopes', 'scopesSupported'].map((name): [string, object, string] => [
    `two scopes in one text: ${name}`,
    { [name]: ['read', 'read write'] },
    `jwtBearer: ${name} has the string 'read write', which no token can grant: scopes are printable ASCII without spaces, " ` +
      'and \\. Give each scope as a separate string. [bad-option]',
  ]),
  [
    'a resource with a password',
    { resource: 'https://me:secret@a.example/mcp' },
    'jwtBearer: resource has a user name or password. Remove them. [bad-option]',
  ],
  ...['https://a.example/*/mcp', 'https://a.example/%ff'].map((resource): [string, object, string] => [
    `a resource that is no path of a route: ${resource}`,
    { resource },
    `jwtBearer: resource is '${resource}'. Give a URL whose path is valid and contains no *. [bad-option]`,
  ]),
  [
    'a resource name that is not a string',
    { resourceName: 5 },
    'jwtBearer: resourceName is 5. Give a display name. [bad-option]',
  ],
  [
    'a documentation URL that is not a URL',
    { resourceDocumentation: 'see below' },
    "jwtBearer: resourceDocumentation is the string 'see below'. Give the URL of a page. [bad-option]",
  ],
])('jwtBearer rejects %s', (_name, options, diagnostic) => {
  expect(diagnosticsOf(jwtBearer({ ...good, ...options }))).toEqual([diagnostic])
})

test('plain HTTP is accepted on loopback addresses', () => {
  for (const host of ['localhost', '127.0.0.1', '127.8.9.1', '[::1]']) {
    const url = `http://${host}:8080`
    expect(diagnosticsOf(jwtBearer({ issuer: url, jwks: `${url}/keys`, audience: `${url}/mcp` }))).toEqual([])
  }
  expect(diagnosticsOf(jwtBearer({ ...good, issuer: 'http://127.0.0.1.evil.example' }))).toHaveLength(1)
})

test('misspelt options are reported, because they would admit more callers than intended', () => {
  const misspelt = {
    requiredScope: ['mcp'],
    roleClaim: 'groups',
    cache: { ttl: 0 },
    dpop: { require: true },
    keys: { maxAge: 5 },
  }
  expect(diagnosticsOf(jwtBearer({ ...good, ...misspelt } as never))).toEqual([
    'jwtBearer: requiredScope is not an option. Did you mean requiredScopes? [bad-option]',
    'jwtBearer: roleClaim is not an option. Did you mean rolesClaim? [bad-option]',
    'jwtBearer: keys.maxAge is not an option. Did you mean maxAgeSeconds? [bad-option]',
    'jwtBearer: cache.ttl is not an option. Did you mean ttlSeconds? [bad-option]',
    'jwtBearer: dpop.require is not an option. Did you mean required? [bad-option]',
  ])
  const { audience } = good
  expect(diagnosticsOf(jwtBearer({ audience, issuers: [{ ...issuer, audience }] } as never))).toEqual([
    'jwtBearer: issuers: audience is not an option. Give one of issuer, jwks. [bad-option]',
  ])
  const asked = { endpoint: good.issuer, issuer: good.issuer, clientId: 'a', clientSecret: 'b', audience }
  expect(diagnosticsOf(introspection({ ...asked, requiredScope: ['mcp'] } as never))).toEqual([
    'introspection: requiredScope is not an option. Did you mean requiredScopes? [bad-option]',
  ])
  const keys = [{ key: 'k-0123456789abcdef', subject: 'a', scope: ['x'] }]
  expect(diagnosticsOf(apiKeys({ keys, headers: 'x-key' } as never))).toEqual([
    'apiKeys: headers is not an option. Did you mean header? [bad-option]',
    'apiKeys: keys[0]: scope is not an option. Did you mean scopes? [bad-option]',
  ])
})

test('all mistakes are reported together', () => {
  const keys = [null, { kty: 'oct', k: 'c2VjcmV0' }]
  expect(diagnosticsOf(jwtBearer({ ...good, jwks: { keys: keys as never } }))).toEqual([
    expect.stringMatching(/^jwtBearer: jwks\.keys\[0\] is null\. /),
    'jwtBearer: jwks has a secret key, which could also sign tokens. Give public keys only. [bad-option]',
  ])
  const bad = {
    issuer: 'http://a.example',
    jwks: 'x',
    audience: '',
    algorithms: ['none' as never],
    clockToleranceSeconds: -1,
  }
  expect(diagnosticsOf(jwtBearer({ ...bad, resource: false }))).toHaveLength(5)
})

test('introspection rejects unsafe endpoints, without repeating secrets', () => {
  const bad = {
    endpoint: 'http://login.example.com',
    issuer: 'https://login.example.com',
    clientId: '',
    clientSecret: '',
  }
  const numbers = { maxConcurrent: 0, clockToleranceSeconds: 301 }
  expect(diagnosticsOf(introspection({ ...bad, ...numbers, audience: [], resource: false }))).toEqual([
    "introspection: clientId is the string ''. Give the client id of this server at the issuer. [bad-option]",
    'introspection: maxConcurrent is 0. Give a number of at least 1. [bad-option]',
    'introspection: clockToleranceSeconds is 301. Tokens would be valid that much longer than their issuer intended. ' +
      'Give 0 to 300, and synchronize the clocks. [bad-option]',
    `introspection: endpoint is 'http://login.example.com/'. ${forged} [bad-option]`,
    'introspection: clientSecret is undefined. Is the environment variable with the secret set? [bad-option]',
    `introspection: audience is an array. ${noAudience}`,
  ])
})

test('introspection without an endpoint needs an issuer with discoverable metadata', () => {
  const { audience } = good
  const client = { clientId: 'a', clientSecret: 'b', audience }
  expect(diagnosticsOf(introspection({ ...client, issuer: good.issuer }))).toEqual([])
  expect(diagnosticsOf(introspection({ ...client, issuer: `${good.issuer}/?a` }))).toEqual([
    `introspection: ${nowhere} Give endpoint. [bad-option]`,
  ])
  expect(
    diagnosticsOf(introspection({ ...client, issuer: good.issuer, endpoint: 'https://a:b@login.example.com' })),
  ).toEqual([
    'introspection: endpoint has a user name or password, but requests never send them. Remove them. [bad-option]',
  ])
  expect(diagnosticsOf(introspection({ ...client, issuer: 'http://login.example.com' }))).toContain(
    `introspection: issuer is 'http://login.example.com/'. ${forged} [bad-option]`,
  )
})

test('apiKeys rejects keys that are guessable or missing, without repeating them', () => {
  const key = 'k-0123456789abcdef'
  expect(
    diagnosticsOf(
      apiKeys({
        header: 'x api key',
        keys: [
          { key: 'short', subject: 'a' },
          { subject: 'b' },
          { key, sha256: 'x', subject: 'c' },
          { key, subject: '' },
          { key: '', subject: 'e' },
        ],
      }),
    ),
  ).toEqual([
    "apiKeys: header is the string 'x api key'. Give the name of a header. [bad-option]",
    'apiKeys: keys[0]: the key has fewer than 16 characters and can be guessed. `openssl rand -base64 32` prints a new key. [bad-option]',
    'apiKeys: keys[1] needs either key or sha256. Is the environment variable with the key set? [bad-option]',
    'apiKeys: keys[2] needs either key or sha256. Is the environment variable with the key set? [bad-option]',
    'apiKeys: keys[2]: sha256 is not a SHA-256 hash in hexadecimal. `printf %s KEY | sha256sum` prints it. [bad-option]',
    "apiKeys: keys[3]: subject is the string ''. Name the owner of the key. [bad-option]",
    'apiKeys: keys[4]: the key is empty. Is the environment variable with the key set? [bad-option]',
  ])
  expect(diagnosticsOf(apiKeys({ keys: [] }))).toEqual([
    'apiKeys: keys is an array. Give at least one: { key, subject }. [bad-option]',
  ])
  expect(
    diagnosticsOf(
      apiKeys({
        keys: [
          { key, subject: 'a' },
          { key, subject: 'b' },
        ],
      }),
    ),
  ).toEqual(['apiKeys: keys[1] has the same key as another entry. Give each caller a separate key. [bad-option]'])
})

test.each(['0'.repeat(63), '0'.repeat(65), `x${'0'.repeat(64)}`, `${'0'.repeat(64)}x`])(
  'apiKeys rejects an invalid digest: %s',
  (sha256) => {
    expect(diagnosticsOf(apiKeys({ keys: [{ sha256, subject: 'a' }] }))).toEqual([
      'apiKeys: keys[0]: sha256 is not a SHA-256 hash in hexadecimal. `printf %s KEY | sha256sum` prints it. [bad-option]',
    ])
  },
)

test('apiKeys rejects keys that cannot be sent in a header, without repeating them', () => {
  const key = 'k-0123456789abcdef'
  const given = [`${key}\n`, ` ${key}`, `${key}ü`, `${key}€`, `${key} ${key}`, `${key}!`, `${key}==`]
  const keys = given.map((one, index) => ({ key: one, subject: `caller ${index}` }))
  const sent = (index: number): string =>
    `apiKeys: keys[${index}]: the key has characters that a header cannot carry. Does the key end with a line break or a space? ` +
    'Give printable ASCII. [bad-option]'
  const token = (index: number): string =>
    `apiKeys: keys[${index}]: the key has characters that a token after Bearer cannot have. Use only letters, digits and ` +
    "-._~+/, with = only at the end. Or set another header: 'x-api-key'. [bad-option]"
  expect(diagnosticsOf(apiKeys({ keys }))).toEqual([0, 1, 2, 3].map(sent))
  expect(diagnosticsOf(apiKeys({ keys, header: 'Authorization' }))).toEqual([
    ...[0, 1, 2, 3].map(sent),
    token(4),
    token(5),
  ])
})

test('missing options are reported', () => {
  expect(diagnosticsOf(anyOf())).toEqual(['anyOf: there is no authenticator. Give at least one. [bad-option]'])
  expect(diagnosticsOf(authenticateWith(() => null, { resource: 'mcp' }))).toEqual([
    "authenticateWith: resource is the string 'mcp'. Give an absolute URL: https://login.example.com. [bad-option]",
  ])
})

test('options of the wrong type are reported, without repeating a key', () => {
  const odd = { dpop: null, keys: 5, cache: 'none', issuers: {}, requiredScopes: 'mcp', authorizationServers: 'a' }
  expect(diagnosticsOf(jwtBearer({ audience: good.audience, ...odd } as never))).toEqual([
    'jwtBearer: keys is not an object. Give one. [bad-option]',
    'jwtBearer: cache is not an object. Give one. [bad-option]',
    'jwtBearer: dpop is not an object. Give one. [bad-option]',
    "jwtBearer: authorizationServers is the string 'a'. Give an array of strings. [bad-option]",
    "jwtBearer: requiredScopes is the string 'mcp'. Give an array of strings. [bad-option]",
    'jwtBearer: issuers is a plain object. Give an array. [bad-option]',
  ])
  expect(diagnosticsOf(jwtBearer({ audience: good.audience, issuers: [null, issuer] } as never))).toEqual([
    'jwtBearer: issuers has an entry that is not an object. Give { issuer, jwks }. [bad-option]',
  ])
  const key = 'k-0123456789abcdef'
  const keys = [key, null, { sha256: 5, subject: 'a', roles: 'Admin', scopes: [5] }]
  expect(diagnosticsOf(apiKeys({ keys } as never))).toEqual([
    'apiKeys: keys[0] is not an object. Give one. [bad-option]',
    'apiKeys: keys[0]: subject is undefined. Name the owner of the key. [bad-option]',
    'apiKeys: keys[0] needs either key or sha256. Is the environment variable with the key set? [bad-option]',
    'apiKeys: keys[1] is not an object. Give one. [bad-option]',
    'apiKeys: keys[1]: subject is undefined. Name the owner of the key. [bad-option]',
    'apiKeys: keys[1] needs either key or sha256. Is the environment variable with the key set? [bad-option]',
    "apiKeys: keys[2]: roles is the string 'Admin'. Give an array of strings. [bad-option]",
    'apiKeys: keys[2]: scopes is an array. Give an array of strings. [bad-option]',
    'apiKeys: keys[2]: sha256 is not a SHA-256 hash in hexadecimal. `printf %s KEY | sha256sum` prints it. [bad-option]',
  ])
  expect(diagnosticsOf(authenticateWith('ann' as never, { requiredScope: ['mcp'] } as never))).toEqual([
    'authenticateWith: requiredScope is not an option. Did you mean requiredScopes? [bad-option]',
    "authenticateWith: the string 'ann' is not a function. Give a function that returns the caller. [bad-option]",
  ])
  for (const [name, create] of Object.entries({ jwtBearer, introspection, apiKeys })) {
    expect(diagnosticsOf(create(undefined as never))).toEqual([
      `${name}: its options are undefined. Give an object: ${name}({ … }). [bad-option]`,
    ])
  }
})

const itself: Record<string, unknown> = {}
itself['more'] = [itself]

test.each<[string, unknown, string]>([
  [
    'a function',
    { can: { read: () => true } },
    '.can.read is the function read, which JSON cannot express. Remove it.',
  ],
  ['a symbol', { groups: ['a', Symbol('b')] }, '.groups[1] is Symbol(b), which JSON cannot express. Remove it.'],
  ['a date', { since: new Date(0) }, '.since is an instance of Date, which JSON cannot express. Remove it.'],
  ['NaN', { level: Number.NaN }, '.level is NaN, which JSON cannot express. Remove it.'],
  ['themselves', itself, `${'.more[0]'.repeat(16)} is more than 32 levels deep. Is there a circular reference?`],
])('claims of an API key cannot hold %s', (_name, claims, diagnostic) => {
  const keys = [{ key: 'k-0123456789abcdef', subject: 'a', claims: claims as object }]
  expect(diagnosticsOf(apiKeys({ keys } as never))).toEqual([`apiKeys: keys[0]: claims${diagnostic} [bad-option]`])
})

test.each<[string, unknown]>([
  ['a string', 'sk-live-0123456789abcdef'],
  ['an array', []],
  ['null', null],
  ['an instance of Map', new Map()],
])('claims of an API key cannot be %s', (found, claims) => {
  const keys = [{ key: 'k-0123456789abcdef', subject: 'a', claims }]
  expect(diagnosticsOf(apiKeys({ keys } as never))).toEqual([
    `apiKeys: keys[0]: claims is ${found}. Give an object. [bad-option]`,
  ])
})

test('an option with an arbitrary value is reported, and nothing is thrown', () => {
  const bare: unknown = Object.create(Object.create(null))
  const withoutText = { toString: null }
  const client = { issuer: good.issuer, clientId: 'a', clientSecret: 'b', audience: good.audience }
  const key = 'k-0123456789abcdef'
  for (const odd of [Symbol('odd'), 5n, bare, withoutText, [Symbol('odd')], [bare], () => 1]) {
    const made = [
      ...['issuer', 'jwks', 'audience', 'resource', 'algorithms'].map((name) => jwtBearer({ ...good, [name]: odd })),
      jwtBearer({ audience: good.audience, issuers: [{ issuer: odd }, { issuer: odd }] } as never),
      ...['endpoint', 'issuer', 'clientId', 'clientSecret', 'audience', 'resource'].map((name) =>
        introspection({ ...client, [name]: odd }),
      ),
      ...['key', 'sha256', 'subject', 'roles'].map((name) => apiKeys({ keys: [{ key, subject: 'a', [name]: odd }] })),
      authenticateWith(() => null, { resource: odd as never }),
    ]
    expect(made.map((authenticator) => diagnosticsOf(authenticator).length > 0)).toEqual(made.map(() => true))
  }
})

test('a key in the wrong place is not repeated in any message', () => {
  const key = 'sk-live-0123456789abcdef'
  const made = [apiKeys(key as never), apiKeys({ keys: key } as never), anyOf(key as never), jwtBearer(key as never)]
  expect(made.flatMap(diagnosticsOf)).toEqual([
    'apiKeys: its options are a string. Give an object: apiKeys({ … }). [bad-option]',
    'apiKeys: keys is a string. Give at least one: { key, subject }. [bad-option]',
    'anyOf: a string has no method authenticate. Give authenticators, such as apiKeys({ … }). [bad-option]',
    'jwtBearer: its options are a string. Give an object: jwtBearer({ … }). [bad-option]',
  ])
})

test('anyOf reports the mistakes of all its authenticators, and requires at least one authenticator', () => {
  const none = { keys: [] }
  expect(diagnosticsOf(anyOf(jwtBearer({ ...good, audience: '' }), none as never, apiKeys(none)))).toEqual([
    `jwtBearer: audience is the string ''. ${noAudience}`,
    "jwtBearer: resource is missing, and no audience is a URL. Clients find the token issuers in the resource's metadata. " +
      "Give the server's URL as clients know it: resource: 'https://mcp.example.com/mcp'. Or set resource: false to serve no metadata. [bad-option]",
    'anyOf: a plain object has no method authenticate. Give authenticators, such as apiKeys({ … }). [bad-option]',
    'apiKeys: keys is an array. Give at least one: { key, subject }. [bad-option]',
  ])
  const odd = { authenticate: () => null, diagnostics: 5 as never }
  expect(diagnosticsOf(anyOf(odd, { ...odd, diagnostics: [null] as never }))).toEqual([
    'anyOf: an authenticator: diagnostics is 5. Give an array of { code, message }, or leave it out. [bad-option]',
    'anyOf: an authenticator: diagnostics[0] is null. Give { code, message }, both strings. [bad-option]',
  ])
})

describe('an authenticator with mistakes in its options', () => {
  class Tools {
    @McpTool('a b')
    add(): void {}
  }
  const key = 'k-0123456789abcdef'
  const bad = jwtBearer({ ...good, algorithms: ['none' as never] })
  const options: HostOptions = {
    name: 'test',
    version: '1',
    controllers: [Tools],
    path: 'mcp',
    fastify: { logger: false },
    authentication: bad,
  }
  const algorithms = `jwtBearer: algorithms has the string 'none'. ${publicKeys}`
  const path = "path is the string 'mcp'. Give a path that begins with / and has no query, such as '/mcp'. [bad-option]"
  const name = "Tools.add: 'a b' is not a valid tool name. Use 1 to 128 of the characters A-Z a-z 0-9 _ . - [bad-name]"

  async function diagnosticsOfBoot(boot: PromiseLike<unknown>): Promise<readonly string[]> {
    const error = await boot.then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(BootError)
    return (error as BootError).diagnostics.map(({ code, message }) => `${message} [${code}]`)
  }

  test('is reported at boot, together with all other mistakes', async () => {
    expect(await diagnosticsOfBoot(createHost(options))).toEqual([path, algorithms, name])
  })

  test('is reported for every kind of mistake', async () => {
    const { audience } = good
    const client = { issuer: good.issuer, clientId: Symbol('id') as never, clientSecret: 'b', audience }
    const several = anyOf(
      introspection(client),
      apiKeys({ keys: [{ key, subject: 'a', claims: { read: () => true } }] }),
    )
    expect(await diagnosticsOfBoot(createHost({ ...options, authentication: several }))).toEqual([
      path,
      'introspection: clientId is Symbol(id). Give the client id of this server at the issuer. [bad-option]',
      'apiKeys: keys[0]: claims.read is the function read, which JSON cannot express. Remove it. [bad-option]',
      name,
    ])
  })

  test('is reported by the plugin, also for an existing server', async () => {
    const { fastify: _, ...mounted } = options
    expect(await diagnosticsOfBoot(Fastify().register(mcp, mounted))).toEqual([path, algorithms, name])

    class Fine {
      @McpTool()
      add(): void {}
    }
    const host = await createHost({ name: 'test', version: '1', controllers: [Fine], fastify: { logger: false } })
    expect(await diagnosticsOfBoot(Fastify().register(mcp, { server: host.mcp, authentication: bad }))).toEqual([
      algorithms,
    ])
    await host.close()
  })

  test('rejects all requests without disclosing the mistakes', () => {
    const several = anyOf(apiKeys({ keys: [{ key, subject: 'build' }] }), bad)
    for (const authenticator of [bad, several]) {
      const request = { method: 'POST', url: '/mcp', headers: { 'x-api-key': key } }
      expect(() => authenticator.authenticate(request)).toThrow(
        new Error('Authentication is not possible: its options are invalid'),
      )
      expect(authenticator.metadata).toBeUndefined()
    }
  })
})
