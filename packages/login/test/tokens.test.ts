import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient } from './support/raw-client.js'

afterEach(closeServers)

async function start(options = {}): Promise<{ server: ProtectedServer; client: RawClient }> {
  const server = await ProtectedServer.start(options)
  return { server, client: new RawClient(server.url) }
}

describe('the token endpoint', () => {
  test('answers as clients expect, and names no inner scope', async () => {
    const { client } = await start()
    const { code, verifier } = await client.logIn()

    const { status, headers, body } = await client.exchange(code, verifier)

    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toStrictEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/) as unknown,
      refresh_token: expect.stringMatching(/^[\w-]{43}\.[\w-]{43}\.[\w-]{43}$/) as unknown,
      expires_in: 3600,
      token_type: 'Bearer',
      scope: 'users:read users:write',
    })
  })

  test('rejects a code with another verifier, redirect URI, client or resource', async () => {
    const { client } = await start()
    const other = new RawClient(client.url, 'http://localhost:9/other')
    await other.register()
    const { code, verifier } = await client.logIn()

    expect(await client.exchange(code, 'x'.repeat(43))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await client.exchange(code, '')).toMatchObject({ status: 400 })
    const uri = { redirect_uri: 'http://127.0.0.1:10/callback' }
    expect(await client.exchange(code, verifier, uri)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await other.exchange(code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const resource = { resource: 'https://other.example/mcp' }
    expect(await client.exchange(code, verifier, resource)).toMatchObject({
      status: 400,
      body: { error: 'invalid_target' },
    })
  })

  test('accepts a code once: a second use revokes the tokens', async () => {
    const { client } = await start()
    const { code, verifier } = await client.logIn()
    const { body } = await client.exchange(code, verifier)
    expect((await client.call(String(body['access_token']))).status).toBe(200)

    expect(await client.exchange(code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })

    expect((await client.call(String(body['access_token']))).status).toBe(401)
    expect(await client.refresh(String(body['refresh_token']))).toMatchObject({ body: { error: 'invalid_grant' } })
  })

  test('of ten concurrent uses of a code, at most one gets tokens', async () => {
    const { client } = await start()
    const { code, verifier } = await client.logIn()

    const answers = await Promise.all(Array.from({ length: 10 }, () => client.exchange(code, verifier)))

    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true)
  })

  test.each([
    [{ grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
    [{ grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [{ grant_type: 'authorization_code' }, 'invalid_request'],
    [{ grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_grant'],
  ])('answers %j with JSON', async (form, error) => {
    const { client } = await start()
    await client.register()

    const { status, body, headers } = await client.token(form)

    expect([status, body['error']]).toStrictEqual([400, error])
    expect(headers.get('content-type')).toContain('application/json')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  test('answers errors of an unknown client and of a used code with JSON that nothing stores', async () => {
    const { client } = await start()
    const { code, verifier } = await client.logIn()
    await client.exchange(code, verifier)

    const used = await client.exchange(code, verifier)
    client.id = 'unknown'
    const unknown = await client.exchange(code, verifier)

    expect([used, unknown].map(({ status, body }) => [status, body['error']])).toStrictEqual([
      [400, 'invalid_grant'],
      [401, 'invalid_client'],
    ])
    for (const { headers, body } of [used, unknown]) {
      expect(headers.get('content-type')).toContain('application/json')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(body['error_description']).toEqual(expect.any(String))
    }
  })

  test.each(['{"grant_type":"x"}', `x=${'y'.repeat(70_000)}`])('rejects the body %.30s', async (body) => {
    const { client } = await start()
    const type = body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded'

    const response = await fetch(`${client.origin}/token`, { method: 'POST', body, headers: { 'content-type': type } })

    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }])
  })
})

describe('tokens of a login', () => {
  test('end at their time, for calls and for metadata', async () => {
    const { client } = await start({ accessSeconds: 60 })
    const tokens = await client.logInForTokens()
    expect(tokens.expires_in).toBe(60)
    jest.useFakeTimers({
      doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'setInterval', 'queueMicrotask'],
      now: Date.now() + 61_000,
    })
    try {
      const { status, challenge } = await client.call(tokens.access_token)
      expect(status).toBe(401)
      expect(challenge).toContain('error="invalid_token"')
    } finally {
      jest.useRealTimers()
    }
  })

  test('cannot be used in place of each other', async () => {
    const { client } = await start()
    const tokens = await client.logInForTokens()

    expect((await client.call(tokens.refresh_token)).status).toBe(401)
    expect(await client.refresh(tokens.access_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('of one server are invalid at a sibling with the same secret and store', async () => {
    const { InMemoryLoginStore } = await import('@toolwright/login')
    const store = new InMemoryLoginStore()
    const { client } = await start({ store })
    const sibling = await ProtectedServer.start({ store })
    const tokens = await client.logInForTokens()
    expect((await client.call(tokens.access_token)).status).toBe(200)

    expect((await client.call(tokens.access_token, sibling.url)).status).toBe(401)
  })

  test('that were used several times on a connection end at once when they are revoked', async () => {
    const { client } = await start()
    const tokens = await client.logInForTokens()
    const statuses: number[] = []
    for (let call = 0; call < 4; call++) {
      // oxlint-disable-next-line no-await-in-loop
      statuses.push((await client.call(tokens.access_token)).status)
    }
    await client.revoke(tokens.refresh_token)

    expect([...statuses, (await client.call(tokens.access_token)).status]).toStrictEqual([200, 200, 200, 200, 401])
  })

  test('are revoked by either token, at the provider as well; unknown tokens are accepted', async () => {
    const { client, server } = await start()
    const revoked = jest.fn()
    server.company.provider.on('grant.revoked', revoked)
    const one = await client.logInForTokens()
    const other = await client.logInForTokens()

    expect((await client.revoke(one.refresh_token)).status).toBe(200)
    expect((await client.call(one.access_token)).status).toBe(401)
    expect((await client.revoke(other.access_token)).status).toBe(200)
    expect((await client.call(other.access_token)).status).toBe(401)
    expect(await client.refresh(other.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })
    expect((await client.revoke('unknown')).status).toBe(200)
    expect(revoked).toHaveBeenCalledTimes(2)
  })

  test('of one user are not revoked with those of another, at the same client', async () => {
    const { client, server } = await start()
    const ofAnn = await client.logInForTokens()
    server.company.user = 'bob'
    const ofBob = await client.logInForTokens()

    await client.revoke(ofAnn.refresh_token)

    expect((await client.call(ofBob.access_token)).status).toBe(200)
    expect((await client.refresh(ofBob.refresh_token)).status).toBe(200)
  })

  test('are not revoked by another client', async () => {
    const { client } = await start()
    const tokens = await client.logInForTokens()
    const other = new RawClient(client.url, 'http://localhost:9/other')
    await other.register()

    await other.revoke(tokens.refresh_token)

    expect((await client.call(tokens.access_token)).status).toBe(200)
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200)
  })
})
