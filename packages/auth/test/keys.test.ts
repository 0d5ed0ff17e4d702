import type { JWK } from 'jose'
import { type JwtBearerOptions, jwtBearer } from 'toolwright'
import { outcomeOf, withToken } from './support/authenticate.js'
import { passSeconds, startClocks, stopClocks, stopTimers, until } from './support/clock.js'
import { audience, createKey, IdentityProvider, type SigningKey } from './support/identity-provider.js'

let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
  stopClocks()
})

afterEach(async () => {
  startClocks()
  await provider.stop()
})

function create(options: Partial<JwtBearerOptions> = {}) {
  const noCache = { ttlSeconds: 0 }
  return jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience, cache: noCache, ...options })
}

/** Authenticates with tokens of unknown key ids. Their signatures are never checked. */
async function unknownTokens(count: number): Promise<string[]> {
  const [, payload, signature] = (await provider.sign()).split('.')
  return Array.from({ length: count }, (_, index) => {
    const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: `unknown-${index}` })).toString('base64url')
    return `${header}.${payload}.${signature}`
  })
}

/** Counts how often the keys are fetched while `act` runs. */
async function countFetches(act: () => Promise<unknown>): Promise<number> {
  const before = provider.fetches
  await act()
  return provider.fetches - before
}

function outage(): void {
  provider.answer = (_request, response) => {
    response.statusCode = 503
    response.end()
  }
}

test('keys are fetched once, with the first token', async () => {
  const authenticator = create()
  // The age of the keys is measured from the fetch, not from the start of the process.
  passSeconds(10_000)
  expect(provider.fetches).toBe(0)
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, index) => provider.sign({ sub: `user-${index}` })))
  const outcomes = await Promise.all(tokens.map((token) => outcomeOf(authenticator, withToken(token))))
  expect(outcomes).toEqual(tokens.map((_, index) => `user-${index}`))
  passSeconds(599)
  await outcomeOf(authenticator, withToken(tokens[0] as string))
  expect(provider.fetches).toBe(1)
})

test('a new key is accepted at once, after one fetch', async () => {
  const authenticator = create()
  await outcomeOf(authenticator, withToken(await provider.sign()))
  const next = await createKey('next', 'ES256')
  provider.keys = [next, provider.key]
  const token = await provider.sign()
  expect(
    await countFetches(async () => {
      expect(await outcomeOf(authenticator, withToken(token))).toBe('alice')
      expect(await outcomeOf(authenticator, withToken(token))).toBe('alice')
    }),
  ).toBe(1)
})

test('a fetch is retried after a lost connection', async () => {
  const authenticator = create()
  await outcomeOf(authenticator, withToken(await provider.sign()))
  provider.keys = [await createKey('next', 'ES256')]
  provider.loseNextRequest()
  const token = await provider.sign()
  expect(
    await countFetches(async () => {
      expect(await outcomeOf(authenticator, withToken(token))).toBe('alice')
    }),
  ).toBe(2)
})

test('a fetch is retried once only', async () => {
  provider.answer = ({ socket }) => socket.resetAndDestroy()
  const authenticator = create()
  const token = await provider.sign()
  expect(
    await countFetches(async () => {
      expect(await outcomeOf(authenticator, withToken(token))).toMatch(
        /^unavailable: the keys of .* could not be fetched/,
      )
    }),
  ).toBe(2)
})

test('10,000 unknown key ids cause one fetch in 30 seconds', async () => {
  const authenticator = create()
  const good = await provider.sign({ exp: Math.floor(Date.now() / 1000) + 3600 })
  await outcomeOf(authenticator, withToken(good))
  const flood = async (count: number): Promise<void> => {
    const outcomes = await Promise.all(
      (await unknownTokens(count)).map((token) => outcomeOf(authenticator, withToken(token))),
    )
    expect(new Set(outcomes)).toEqual(new Set(['rejected: unknown signing key']))
  }
  expect(await countFetches(() => flood(10_000))).toBe(1)
  passSeconds(29)
  expect(await countFetches(() => flood(100))).toBe(0)
  expect(await outcomeOf(authenticator, withToken(good))).toBe('alice')
  passSeconds(1)
  expect(await countFetches(() => flood(100))).toBe(1)
})

test('unknown key ids cause one fetch, even if no key was fetched before', async () => {
  const authenticator = create()
  expect(
    await countFetches(async () => {
      for (const token of await unknownTokens(100)) {
        // oxlint-disable-next-line no-await-in-loop
        await outcomeOf(authenticator, withToken(token))
      }
    }),
  ).toBe(1)
})

test('known keys survive an outage, and unknown keys are rejected meanwhile', async () => {
  const authenticator = create()
  const lasting = { exp: Math.floor(Date.now() / 1000) + 24 * 3600 }
  const token = await provider.sign(lasting)
  const [unknown = ''] = await unknownTokens(1)
  await outcomeOf(authenticator, withToken(token))
  outage()
  for (let minutes = 0; minutes < 70; minutes += 5) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await outcomeOf(authenticator, withToken(token))).toBe('alice')
    // oxlint-disable-next-line no-await-in-loop
    expect(await outcomeOf(authenticator, withToken(unknown))).toMatch(
      /^unavailable: the keys of .* could not be fetched/,
    )
    passSeconds(5 * 60)
  }
  // Keys are fresh for ten minutes and stale for an hour. After that, they are rejected.
  passSeconds(1)
  expect(await outcomeOf(authenticator, withToken(token))).toBe(
    `unavailable: the keys of ${provider.jwks} could not be fetched: Error: the status is 503`,
  )
})

test('without keys, the issuer is retried after 1, 2, 4, 8, 16 and then 30 seconds, until it responds', async () => {
  const authenticator = create()
  outage()
  const token = await provider.sign({ exp: Math.floor(Date.now() / 1000) + 3600 })
  expect(
    await countFetches(async () => {
      for (let second = 0; second < 60; second++) {
        // oxlint-disable-next-line no-await-in-loop
        expect(await outcomeOf(authenticator, withToken(token))).toMatch(/^unavailable/)
        passSeconds(1)
      }
    }),
  ).toBe(6)
  passSeconds(1)
  provider.answer = (_request, response) => response.end(JSON.stringify({ keys: provider.keys.map(({ jwk }) => jwk) }))
  expect(await outcomeOf(authenticator, withToken(token))).toBe('alice')
})

test('while the keys are stale, an unavailable issuer is retried every 30 seconds, also for unknown keys', async () => {
  const authenticator = create()
  const token = await provider.sign({ exp: Math.floor(Date.now() / 1000) + 3600 })
  await outcomeOf(authenticator, withToken(token))
  outage()
  passSeconds(601)
  const fetches = await countFetches(async () => {
    const before = provider.fetches
    for (let second = 0; second < 60; second++) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await outcomeOf(authenticator, withToken(token))).toBe('alice')
      // They are fetched in the background.
      // oxlint-disable-next-line no-await-in-loop
      await until(() => provider.fetches >= before + (second < 30 ? 1 : 2))
      passSeconds(1)
    }
  })
  expect(fetches).toBe(2)
})

test.each([
  ['from a URL', () => provider.jwks],
  ['from discovery', () => undefined],
])('keys %s become stale and are dropped after the configured ages', async (_where, jwks) => {
  let isDown = false
  provider.answer = ({ url }, response) => {
    if (isDown) response.writeHead(503).end()
    else if (url === '/keys') response.end(JSON.stringify({ keys: [provider.key.jwk] }))
    else response.end(JSON.stringify({ issuer: provider.issuer, jwks_uri: provider.jwks }))
  }
  const authenticator = create({ jwks: jwks(), keys: { maxAgeSeconds: 10, staleSeconds: 20, cooldownSeconds: 5 } })
  const token = await provider.sign()
  const callAfter = (seconds: number): Promise<string | null> => {
    passSeconds(seconds)
    return outcomeOf(authenticator, withToken(token))
  }
  expect(await callAfter(0)).toBe('alice')
  isDown = true
  expect([await callAfter(30), await callAfter(1)]).toEqual(['alice', expect.stringMatching(/could not be fetched/)])
  isDown = false
  expect(await callAfter(5)).toBe('alice')
})

test('the error of a past outage is no longer reported', async () => {
  const authenticator = create()
  const [token, [unknown = '']] = [await provider.sign(), await unknownTokens(1)]
  const { answer } = provider
  outage()
  expect(await outcomeOf(authenticator, withToken(unknown))).toMatch(/could not be fetched/)
  provider.answer = answer
  passSeconds(30)
  expect(await outcomeOf(authenticator, withToken(token))).toBe('alice')
  expect(await outcomeOf(authenticator, withToken(unknown))).toBe('rejected: unknown signing key')
})

test('stale keys are fetched in the background while tokens are still accepted', async () => {
  const authenticator = create()
  const old = provider.key
  const sign = (key: SigningKey) => provider.sign({ exp: Math.floor(Date.now() / 1000) + 3600 }, {}, key)
  await outcomeOf(authenticator, withToken(await sign(old)))
  provider.keys = [await createKey('next')]
  passSeconds(601)
  expect(await outcomeOf(authenticator, withToken(await sign(old)))).toBe('alice')
  while (provider.fetches < 2) {
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
  expect(await outcomeOf(authenticator, withToken(await sign(provider.key)))).toBe('alice')
  expect(await outcomeOf(authenticator, withToken(await sign(old)))).toBe('rejected: unknown signing key')
})

test('a new key is accepted at once, also just after a refresh', async () => {
  const authenticator = create()
  const old = await provider.sign({ exp: Math.floor(Date.now() / 1000) + 3600 })
  await outcomeOf(authenticator, withToken(old))
  passSeconds(601)
  expect(await outcomeOf(authenticator, withToken(old))).toBe('alice')
  await until(() => provider.fetches === 2)
  provider.keys = [await createKey('next', 'ES256')]
  const token = await provider.sign()
  // The response may still be on its way. The first token then waits for it.
  const outcomes = [await outcomeOf(authenticator, withToken(token)), await outcomeOf(authenticator, withToken(token))]
  expect([outcomes[1], provider.fetches]).toEqual(['alice', 3])
})

test.each<[string, RegExp, (provider: IdentityProvider) => IdentityProvider['answer']]>([
  ['that is not JSON', /the response is not JSON$/, () => (_request, response) => response.end('<html>')],
  ['that is not a key set', /Key Set malformed/, () => (_request, response) => response.end('{"keys":"none"}')],
  [
    'that is larger than 512 KiB',
    /more than 524288 bytes/,
    ({ keys }) =>
      (_request, response) =>
        response.end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk), padding: 'x'.repeat(513 * 1024) })),
  ],
  [
    'that never ends',
    /more than 524288 bytes/,
    () => (_request, response) => {
      // Ends with the connection. On Node 26, `write` to a closed response fails, and nothing else reports it.
      const write = (fault?: Error | null): void => void (fault ?? response.write('x'.repeat(65_536), write))
      write()
    },
  ],
  [
    'that redirects to another host',
    /redirects to another origin/,
    () => (_request, response) => response.writeHead(302, { location: 'https://evil.example/keys' }).end(),
  ],
  [
    'that redirects to another port',
    /redirects to another origin/,
    () => (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/keys' }).end(),
  ],
  [
    'that redirects to a URL with a password',
    /redirects to a URL with a password$/,
    ({ issuer }) =>
      (_request, response) =>
        response.writeHead(302, { location: `${issuer.replace('//', '//user:secret@')}/keys` }).end(),
  ],
  [
    'that redirects to an invalid URL',
    /redirects to another origin$/,
    () => (_request, response) => response.writeHead(302, { location: 'http://[' }).end(),
  ],
  [
    'that redirects to itself',
    /redirects more than 3 times/,
    () => (_request, response) => response.writeHead(302, { location: '/keys' }).end(),
  ],
  ['that is truncated', /it cannot be reached: UND_ERR_SOCKET$/, () => (_request, response) => void response.destroy()],
  [
    'with a secret',
    /the key set has no key for signatures$/,
    () => (_request, response) => response.end('{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"first"}]}'),
  ],
])('a response %s is rejected', async (_name, reason, answer) => {
  provider.answer = answer(provider)
  expect(await outcomeOf(create(), withToken(await provider.sign()))).toMatch(reason)
})

test('a redirect to the same issuer is followed', async () => {
  const { answer } = provider
  provider.answer = (request, response) =>
    request.url === '/moved' ? answer(request, response) : response.writeHead(307, { location: '/moved' }).end()
  expect(await outcomeOf(create(), withToken(await provider.sign()))).toBe('alice')
})

test('a fetch times out after five seconds', async () => {
  stopTimers()
  provider.answer = () => undefined
  const outcome = outcomeOf(create(), withToken(await provider.sign()))
  await until(() => provider.fetches === 1)
  passSeconds(5)
  expect(await outcome).toMatch(/TimeoutError/)
})

test('keys in the options are used without a fetch', async () => {
  const authenticator = create({ jwks: { keys: [provider.key.jwk] } })
  expect(await outcomeOf(authenticator, withToken(await provider.sign()))).toBe('alice')
  expect(provider.fetches).toBe(0)
})

test('a token without a key id is verified with all matching keys, up to ten', async () => {
  const others = await Promise.all(['a', 'b', 'c'].map(async (name) => createKey(name, 'ES256')))
  const [first, second, stranger] = others as [SigningKey, SigningKey, SigningKey]
  const nameless = ({ jwk: { kid: _unused, ...jwk }, ...key }: SigningKey): SigningKey => ({ ...key, jwk })
  provider.keys = [nameless(first), nameless(second)]
  const sign = async (key: SigningKey): Promise<string> => provider.sign({}, { kid: undefined as never }, key)
  const tokens = [await sign(first), await sign(second), await sign(stranger)]
  const authenticator = create()
  const outcomes = await Promise.all(tokens.map(async (token) => outcomeOf(authenticator, withToken(token))))
  const unknown = 'rejected: ERR_JWS_SIGNATURE_VERIFICATION_FAILED'
  expect(outcomes).toEqual(['alice', 'alice', unknown])

  const many = [...Array<JWK>(10).fill(nameless(first).jwk), nameless(second).jwk]
  const [, late = ''] = tokens
  expect(await outcomeOf(create({ jwks: { keys: many } }), withToken(late))).toBe(unknown)
  expect(await outcomeOf(create({ jwks: { keys: many.slice(1) } }), withToken(late))).toBe('alice')

  // The signature was valid, so other keys are not tried.
  const exp = Math.floor(Date.now() / 1000) - 3600
  const expired = await provider.sign({ exp }, { kid: undefined as never }, second)
  expect(await outcomeOf(authenticator, withToken(expired))).toBe('rejected: expired')
})

test('a new key without an id is accepted at once, and forged tokens cause no further fetches', async () => {
  const others = await Promise.all(['old', 'new', 'forged'].map(async (name) => createKey(name, 'ES256')))
  const [old, next, forged] = others as [SigningKey, SigningKey, SigningKey]
  const nameless = ({ jwk: { kid: _unused, ...jwk }, ...key }: SigningKey): SigningKey => ({ ...key, jwk })
  const sign = async (key: SigningKey): Promise<string> => provider.sign({}, { kid: undefined as never }, key)
  provider.keys = [nameless(old)]
  const authenticator = create()
  expect(await outcomeOf(authenticator, withToken(await sign(old)))).toBe('alice')

  provider.keys = [nameless(next)]
  expect(await outcomeOf(authenticator, withToken(await sign(next)))).toBe('alice')
  const forgeries = await Promise.all(Array.from({ length: 100 }, async () => sign(forged)))
  const outcomes = new Set<string | null>()
  const fetches = await countFetches(async () => {
    // oxlint-disable-next-line no-await-in-loop
    for (const token of forgeries) outcomes.add(await outcomeOf(authenticator, withToken(token)))
  })
  expect([...outcomes, fetches]).toEqual(['rejected: ERR_JWS_SIGNATURE_VERIFICATION_FAILED', 0])
  passSeconds(30)
  const token = forgeries[0] ?? ''
  expect(await countFetches(async () => outcomeOf(authenticator, withToken(token)))).toBe(1)

  // An expired token with a valid signature needs no new keys.
  passSeconds(30)
  const exp = Math.floor(Date.now() / 1000) - 3600
  const expired = await provider.sign({ exp }, { kid: undefined as never }, next)
  const rejecting = async (): Promise<void> =>
    expect(await outcomeOf(authenticator, withToken(expired))).toBe('rejected: expired')
  expect(await countFetches(rejecting)).toBe(0)
})

test('a byte order mark before the keys is ignored', async () => {
  provider.answer = (_request, response) => response.end(`\ufeff${JSON.stringify({ keys: [provider.key.jwk] })}`)
  expect(await outcomeOf(create(), withToken(await provider.sign()))).toBe('alice')
})

test('each of several issuers can only sign its own tokens', async () => {
  const other = await IdentityProvider.start()
  const issuers = [provider, other].map(({ issuer, jwks }) => ({ issuer, jwks }))
  const authenticator = jwtBearer({ issuers, audience })
  const outcomes = [
    await outcomeOf(authenticator, withToken(await provider.sign({ sub: 'ann' }))),
    await outcomeOf(authenticator, withToken(await other.sign({ sub: 'bob' }))),
    await outcomeOf(authenticator, withToken(await other.sign({ iss: provider.issuer }))),
  ]
  await other.stop()
  expect(outcomes).toEqual(['ann', 'bob', 'rejected: ERR_JWS_SIGNATURE_VERIFICATION_FAILED'])
})
