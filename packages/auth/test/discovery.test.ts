import { type JwtBearerOptions, jwtBearer } from 'toolwright'
import { outcomeOf, withToken } from './support/authenticate.js'
import { passSeconds, startClocks, stopClocks, stopTimers, until } from './support/clock.js'
import { audience, createKey, IdentityProvider, type SigningKey } from './support/identity-provider.js'
import { bearer, callWho, closeHosts, openProtectedHost } from './support/protected-host.js'
import { Publisher } from './support/publisher.js'

const oauth = '/.well-known/oauth-authorization-server'
const openid = '/.well-known/openid-configuration'

let provider: IdentityProvider
let publisher: Publisher

beforeEach(async () => {
  provider = await IdentityProvider.start()
  publisher = new Publisher(provider)
  stopClocks()
})

afterEach(async () => {
  startClocks()
  await closeHosts()
  await provider.stop()
})

/** An issuer whose keys are found through its metadata only. */
function create(options: Partial<JwtBearerOptions> = {}) {
  return jwtBearer({ issuer: provider.issuer, audience, cache: { ttlSeconds: 0 }, ...options })
}

function metadata(issuer = provider.issuer, jwks = provider.jwks): object {
  return { issuer, jwks_uri: jwks }
}

/** A token that outlives every test. */
function sign(claims: object = {}, key: SigningKey = provider.key): Promise<string> {
  return provider.sign({ exp: Math.floor(Date.now() / 1000) + 24 * 3600, ...claims }, {}, key)
}

/** Returns the paths requested while `act` runs. */
async function requestsOf(act: () => Promise<unknown>): Promise<readonly string[]> {
  publisher.requests.length = 0
  await act()
  return [...publisher.requests]
}

test.each<[string, readonly string[]]>([
  ['', [oauth, openid]],
  ['/', [oauth, openid]],
  ['/tenant', [`${oauth}/tenant`, `${openid}/tenant`, `/tenant${openid}`]],
  ['/tenant/', [`${oauth}/tenant`, `${openid}/tenant`, `/tenant${openid}`]],
  ['/realms/a%2Fb', [`${oauth}/realms/a%2Fb`, `${openid}/realms/a%2Fb`, `/realms/a%2Fb${openid}`]],
  ['//other.example', [`${oauth}//other.example`, `${openid}//other.example`, `//other.example${openid}`]],
])(
  "the metadata of an issuer with the path '%s' is looked up at each well-known URL in order",
  async (path, places) => {
    const issuer = provider.issuer + path
    const token = await sign({ iss: issuer })
    for (const [index, place] of places.entries()) {
      publisher.documents = { [place]: metadata(issuer) }
      // oxlint-disable-next-line no-await-in-loop
      const requests = await requestsOf(async () => {
        expect(await outcomeOf(create({ issuer }), withToken(token))).toBe('alice')
      })
      expect(requests).toEqual([...places.slice(0, index + 1), '/keys'])
    }
  },
)

test('nothing is fetched before the first token, and concurrent tokens share one fetch', async () => {
  publisher.documents = { [oauth]: metadata() }
  const authenticator = create()
  expect(publisher.requests).toEqual([])
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, index) => sign({ sub: `user-${index}` })))
  const outcomes = await Promise.all(tokens.map((token) => outcomeOf(authenticator, withToken(token))))
  expect(outcomes).toEqual(tokens.map((_, index) => `user-${index}`))
  passSeconds(599)
  await outcomeOf(authenticator, withToken(tokens[0] as string))
  expect(publisher.requests).toEqual([oauth, '/keys'])
})

test('URLs in the header of a token are not fetched', async () => {
  publisher.documents = { [oauth]: metadata() }
  const other = await IdentityProvider.start()
  const { issuer: otherIssuer } = other
  const authenticator = create()
  const outcomes = [
    await outcomeOf(authenticator, withToken(await sign({ iss: other.issuer }))),
    await outcomeOf(authenticator, withToken(await sign({ iss: `${provider.issuer}/tenant` }))),
    await outcomeOf(authenticator, withToken(await provider.sign({}, { jku: other.jwks }))),
  ]
  await other.stop()
  expect(outcomes).toEqual([
    `rejected: unknown issuer "${otherIssuer}"`,
    `rejected: unknown issuer "${provider.issuer}/tenant"`,
    'rejected: the token contains its own key',
  ])
  expect([other.fetches, publisher.requests]).toEqual([0, []])
})

test('a new key is accepted at once, even if the JWKS URL has moved', async () => {
  publisher.documents = { [oauth]: metadata() }
  const authenticator = create()
  await outcomeOf(authenticator, withToken(await sign()))
  const next = await createKey('next', 'ES256')
  publisher.documents = {
    [oauth]: metadata(provider.issuer, `${provider.issuer}/new-keys`),
    '/new-keys': { keys: [next.jwk] },
  }
  const requests = await requestsOf(async () => {
    expect(await outcomeOf(authenticator, withToken(await sign({}, next)))).toBe('alice')
    expect(await outcomeOf(authenticator, withToken(await sign({}, next)))).toBe('alice')
  })
  expect(requests).toEqual([oauth, '/new-keys'])
})

test('10,000 unknown key ids cause one discovery in 30 seconds', async () => {
  const issuer = `${provider.issuer}/tenant`
  publisher.documents = { [`/tenant${openid}`]: metadata(issuer) }
  const authenticator = create({ issuer })
  const good = await sign({ iss: issuer })
  await outcomeOf(authenticator, withToken(good))
  const [, payload, signature] = good.split('.')
  const flood = (count: number) => async (): Promise<void> => {
    const outcomes = await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: `unknown-${index}` })).toString('base64url')
        return outcomeOf(authenticator, withToken(`${header}.${payload}.${signature}`))
      }),
    )
    expect(new Set(outcomes)).toEqual(new Set(['rejected: unknown signing key']))
  }
  const discovery = [`${oauth}/tenant`, `${openid}/tenant`, `/tenant${openid}`, '/keys']
  expect(await requestsOf(flood(10_000))).toEqual(discovery)
  passSeconds(29)
  expect(await requestsOf(flood(100))).toEqual([])
  expect(await outcomeOf(authenticator, withToken(good))).toBe('alice')
  passSeconds(1)
  expect(await requestsOf(flood(100))).toEqual(discovery)
})

test.each<[string, () => void]>([
  [
    'the metadata',
    () => {
      publisher.documents = { '/keys': { keys: [provider.key.jwk] } }
    },
  ],
  [
    'the keys',
    () => {
      publisher.documents = { [oauth]: metadata(), '/keys': 503 }
    },
  ],
])('known keys survive an outage of %s, which is retried every 30 seconds', async (_what, begin) => {
  publisher.documents = { [oauth]: metadata() }
  const authenticator = create()
  const [token, unknown] = [await sign(), await sign({}, await createKey('unknown'))]
  await outcomeOf(authenticator, withToken(token))
  begin()
  for (let minutes = 0; minutes < 70; minutes += 5) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await outcomeOf(authenticator, withToken(token))).toBe('alice')
    // oxlint-disable-next-line no-await-in-loop
    expect(await outcomeOf(authenticator, withToken(unknown))).toMatch(/^unavailable: the keys of /)
    passSeconds(5 * 60)
  }
  passSeconds(1)
  const requests = await requestsOf(async () => {
    for (let second = 0; second < 60; second++) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await outcomeOf(authenticator, withToken(token))).toMatch(/^unavailable: the keys of /)
      passSeconds(1)
    }
  })
  expect(requests.filter((path) => path === oauth)).toHaveLength(2)
  publisher.documents = { [oauth]: metadata() }
  expect(await outcomeOf(authenticator, withToken(token))).toBe('alice')
})

test('the server starts while its issuer is down, and discovers it later', async () => {
  const { issuer } = provider
  const token = await sign()
  const host = await openProtectedHost(create())
  const rejected = await callWho(host, bearer(token))
  expect(rejected).toMatchObject({ status: 503, challenge: undefined })
  expect(rejected.text).not.toContain('well-known')
  const reasons = host.lines.map((line) => (JSON.parse(line) as { reason?: string }).reason).filter(Boolean)
  expect(reasons).toEqual([
    `Error: the keys of ${issuer} could not be fetched: Error: ` +
      `${issuer}${oauth}: Error: the status is 404; ${issuer}${openid}: Error: the status is 404`,
  ])
  publisher.documents = { [openid]: metadata() }
  passSeconds(30)
  expect(await callWho(host, bearer(token))).toMatchObject({ status: 200 })
})

test.each<[string, unknown, string]>([
  ['that is not JSON', '<html>', 'Error: the response is not JSON'],
  ['that is null', null, 'Error: issuer is undefined instead of '],
  ['that is a list', [], 'Error: issuer is undefined instead of '],
  ['without members', {}, 'Error: issuer is undefined instead of '],
  [
    'of another issuer',
    { issuer: 'https://evil.example' },
    "Error: issuer is the string 'https://evil.example' instead of ",
  ],
  ['without jwks_uri', () => ({ issuer: provider.issuer }), 'Error: jwks_uri is undefined, not an https: URL'],
  [
    'with a jwks_uri that is not a URL',
    () => metadata(provider.issuer, '/keys'),
    "Error: jwks_uri is the string '/keys', not an https: URL",
  ],
  [
    'with a list as jwks_uri',
    () => ({ issuer: provider.issuer, jwks_uri: [provider.jwks] }),
    'Error: jwks_uri is an array, not an https: URL',
  ],
  [
    'with a plain HTTP jwks_uri',
    () => metadata(provider.issuer, 'http://login.example.com/keys'),
    "Error: jwks_uri is the string 'http://login.example.com/keys', not an https: URL",
  ],
  [
    'with a file URL as jwks_uri',
    () => metadata(provider.issuer, 'file:///etc/passwd'),
    "Error: jwks_uri is the string 'file:///etc/passwd', not an https: URL",
  ],
  ['of more than 512 KiB', { padding: 'x'.repeat(513 * 1024) }, 'Error: the response has more than 524288 bytes'],
])('a document %s is skipped, and the next well-known URL is tried', async (_name, document, reason) => {
  const bad: unknown = typeof document === 'function' ? document() : document
  publisher.documents = { [oauth]: bad, [openid]: bad }
  const token = await sign()
  const rejection = await outcomeOf(create(), withToken(token))
  const begin = `unavailable: the keys of ${provider.issuer} could not be fetched: Error: `
  expect(rejection).toContain(`${begin}${provider.issuer}${oauth}: ${reason}`)
  expect(rejection).toContain(`; ${provider.issuer}${openid}: ${reason}`)
  publisher.documents = { [oauth]: bad, [openid]: metadata() }
  expect(await outcomeOf(create(), withToken(token))).toBe('alice')
})

test('a remote issuer cannot make the server fetch keys from a loopback address', async () => {
  const issuer = 'https://login.example.com'
  const { fetch } = globalThis
  // The test has no certificate for this host.
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    return fetch((url as URL).href.replace(issuer, provider.issuer), init)
  })
  const token = await sign({ iss: issuer })
  publisher.documents = { [oauth]: metadata(issuer) }
  expect(await outcomeOf(create({ issuer }), withToken(token))).toContain(
    `jwks_uri is the string '${provider.jwks}', not an https: URL`,
  )
  expect(publisher.requests).toEqual([oauth, openid])
  publisher.documents = { [oauth]: metadata(issuer, `${issuer}/keys`) }
  expect(await outcomeOf(create({ issuer }), withToken(token))).toBe('alice')
})

test.each<[string, string]>([
  ['', '/'],
  ['/', ''],
  ['/tenant', '/tenant/'],
  ['/tenant', '/Tenant'],
  ['/tenant', '/other'],
])("an issuer with the path '%s' does not equal one with '%s'", async (configured, found) => {
  const issuer = provider.issuer + configured
  const document = metadata(provider.issuer + found)
  publisher.documents = { [oauth]: document, [`${oauth}/tenant`]: document, [`/tenant${openid}`]: document }
  const outcome = await outcomeOf(create({ issuer }), withToken(await sign({ iss: issuer })))
  expect(outcome).toContain(`issuer is the string '${provider.issuer}${found}' instead of '${issuer}'`)
  expect(publisher.requests).not.toContain('/keys')
})

test('a long string of a document is truncated in the log', async () => {
  publisher.documents = { [oauth]: metadata('x'.repeat(100_000)) }
  const outcome = await outcomeOf(create(), withToken(await sign()))
  expect(outcome?.length).toBeLessThan(1000)
})

test('redirects are followed only to the same issuer', async () => {
  publisher.documents = { [oauth]: { redirect: '/moved' }, '/moved': metadata() }
  expect(await outcomeOf(create(), withToken(await sign()))).toBe('alice')
  publisher.documents = { [oauth]: { redirect: 'http://127.0.0.1:1/moved' } }
  expect(await outcomeOf(create(), withToken(await sign()))).toContain(
    `${oauth}: Error: ${provider.issuer} redirects to another origin`,
  )
})

test('keys that cannot be used are logged with their URL and the URL of the document', async () => {
  publisher.documents = { [oauth]: metadata(), '/keys': 404 }
  expect(await outcomeOf(create(), withToken(await sign()))).toBe(
    `unavailable: the keys of ${provider.issuer} could not be fetched: Error: ` +
      `${provider.jwks}: Error: the status is 404`,
  )
})

test('metadata times out after 2.5 seconds for each URL, and keys after five seconds', async () => {
  stopTimers()
  publisher.documents = { [openid]: metadata() }
  publisher.delayMs = 2499
  const { answer } = provider
  provider.answer = (request, response) => {
    if (request.url === openid) answer(request, response)
    else publisher.requests.push(request.url ?? '')
  }
  const outcome = outcomeOf(create(), withToken(await sign()))
  await until(() => publisher.requests.length === 1)
  passSeconds(2.5)
  await until(() => publisher.requests.length === 2)
  passSeconds(2.499)
  await until(() => publisher.requests.length === 3)
  passSeconds(5)
  expect(await outcome).toMatch(/\/keys: TimeoutError/)
  expect(publisher.requests).toEqual([oauth, openid, '/keys'])
})

test('keys within five seconds are accepted', async () => {
  stopTimers()
  publisher.documents = { [oauth]: metadata() }
  publisher.delayMs = 2499
  const outcome = outcomeOf(create(), withToken(await sign()))
  await until(() => publisher.requests.length === 1)
  publisher.delayMs = 4999
  passSeconds(2.499)
  await until(() => publisher.requests.length === 2)
  passSeconds(4.999)
  expect(await outcome).toBe('alice')
})

test('an issuer that does not respond is tried at each URL', async () => {
  stopTimers()
  provider.answer = (request) => void publisher.requests.push(request.url ?? '')
  const outcome = outcomeOf(create(), withToken(await sign()))
  await until(() => publisher.requests.length === 1)
  passSeconds(2.5)
  await until(() => publisher.requests.length === 2)
  passSeconds(2.5)
  expect(await outcome).toMatch(/oauth-authorization-server: TimeoutError.*; .*openid-configuration: TimeoutError/)
  expect(publisher.requests).toEqual([oauth, openid])
})

test('each of several issuers gets its keys from discovery or from the options', async () => {
  const [given, silent] = [await IdentityProvider.start(), await IdentityProvider.start()]
  publisher.documents = { [oauth]: metadata() }
  const issuers = [
    { issuer: provider.issuer },
    { issuer: given.issuer, jwks: given.jwks },
    { issuer: silent.issuer, jwks: { keys: [silent.key.jwk] } },
  ]
  const authenticator = jwtBearer({ issuers, audience })
  const outcomes = [
    await outcomeOf(authenticator, withToken(await provider.sign({ sub: 'ann' }))),
    await outcomeOf(authenticator, withToken(await given.sign({ sub: 'bob' }))),
    await outcomeOf(authenticator, withToken(await silent.sign({ sub: 'cid' }))),
    await outcomeOf(authenticator, withToken(await silent.sign({ iss: provider.issuer }))),
  ]
  await Promise.all([given.stop(), silent.stop()])
  expect(outcomes).toEqual(['ann', 'bob', 'cid', 'rejected: ERR_JWS_SIGNATURE_VERIFICATION_FAILED'])
  // The forged token causes one further fetch: the key could have changed, and kept its name.
  expect([publisher.requests, given.fetches, silent.fetches]).toEqual([[oauth, '/keys', oauth, '/keys'], 1, 0])
})
