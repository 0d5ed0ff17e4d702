import { gaugesOf } from '../../../test/support/gauges.js'
import { FailingStore } from './support/failing-store.js'
import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient, type Tokens } from './support/raw-client.js'

afterEach(closeServers)
afterEach(() => jest.useRealTimers())

async function loggedIn(options = {}): Promise<{ server: ProtectedServer; client: RawClient; tokens: Tokens }> {
  const server = await ProtectedServer.start(options)
  const client = new RawClient(server.url)
  return { server, client, tokens: await client.logInForTokens() }
}

/** Moves the clock forward. Timers keep their real time. */
function later(seconds: number): void {
  const real = [
    'setTimeout',
    'setInterval',
    'setImmediate',
    'nextTick',
    'queueMicrotask',
    'performance',
    'hrtime',
  ] as const
  jest.useFakeTimers({ doNotFake: [...real], now: Date.now() + seconds * 1000 })
}

describe('a refresh', () => {
  test('gives new tokens, without the client naming resource or scope, and asks the provider', async () => {
    const { client, tokens, server } = await loggedIn()

    const { status, body } = await client.refresh(tokens.refresh_token)

    expect(status).toBe(200)
    expect(body['refresh_token']).not.toBe(tokens.refresh_token)
    expect(body['scope']).toBe('users:read users:write')
    expect((await client.call(String(body['access_token']))).status).toBe(200)
    expect(server.company.refreshes).toBe(1)
  })

  test('can reduce the scopes, and cannot widen them', async () => {
    const { client } = await loggedIn()
    const tokens = await client.logInForTokens({ scope: 'users:read' })

    expect(await client.refresh(tokens.refresh_token, { scope: 'users:read users:write' })).toMatchObject({
      body: { error: 'invalid_scope' },
    })
    expect((await client.refresh(tokens.refresh_token, { scope: 'users:read' })).body['scope']).toBe('users:read')
  })

  test('for another resource is rejected', async () => {
    const { client, tokens } = await loggedIn()

    const answer = await client.refresh(tokens.refresh_token, { resource: 'https://other.example/mcp' })

    expect(answer.body['error']).toBe('invalid_target')
  })

  test('by another client is rejected', async () => {
    const { client, tokens } = await loggedIn()
    const other = new RawClient(client.url, 'http://localhost:9/other')
    await other.register()

    expect(await other.refresh(tokens.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200)
  })

  test('of a confidential client needs its secret', async () => {
    const { url } = await ProtectedServer.start()
    const client = new RawClient(url)
    await client.register({ token_endpoint_auth_method: 'client_secret_post' })
    const tokens = await client.logInForTokens()
    const { secret } = client
    client.secret = undefined
    expect((await client.refresh(tokens.refresh_token)).status).toBe(401)
    client.secret = secret
    const first = await client.refresh(tokens.refresh_token)
    expect(first.status).toBe(200)

    // Not even the repeated answer is given without it.
    client.secret = 'x'.repeat(43)
    expect((await client.refresh(tokens.refresh_token)).status).toBe(401)
  })

  test('repeated within the overlap gets the same answer, also ten times at once, and the provider is asked once', async () => {
    const { client, tokens, server } = await loggedIn()

    const answers = await Promise.all(Array.from({ length: 10 }, () => client.refresh(tokens.refresh_token)))
    later(20)
    answers.push(await client.refresh(tokens.refresh_token))

    expect(answers.map(({ status }) => status)).toStrictEqual(answers.map(() => 200))
    expect(new Set(answers.map(({ body }) => body['refresh_token'])).size).toBe(1)
    expect(new Set(answers.map(({ body }) => body['access_token'])).size).toBe(1)
    expect(server.company.refreshes).toBe(1)
  })

  test('with an old token after the overlap ends the session: the new tokens are invalid, too', async () => {
    const { client, tokens } = await loggedIn()
    const { body } = await client.refresh(tokens.refresh_token)
    later(31)

    expect(await client.refresh(tokens.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })

    expect((await client.call(String(body['access_token']))).status).toBe(401)
    expect(await client.refresh(String(body['refresh_token']))).toMatchObject({ body: { error: 'invalid_grant' } })
  })

  test('with an old token after weeks ends the session, and a forged token does not', async () => {
    const { client, tokens } = await loggedIn()
    const { body } = await client.refresh(tokens.refresh_token)
    const [, grantId] = tokens.refresh_token.split('.')
    await client.refresh(`${'x'.repeat(43)}.${grantId}.${'y'.repeat(43)}`)
    later(14 * 86_400)
    const next = await client.refresh(String(body['refresh_token']))
    expect(next.status).toBe(200)

    expect(await client.refresh(tokens.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })

    expect(await client.refresh(String(next.body['refresh_token']))).toMatchObject({ body: { error: 'invalid_grant' } })
    expect((await client.call(String(next.body['access_token']))).status).toBe(401)
  })

  test('leaves no entries behind, however often it happens', async () => {
    const { client, tokens, server } = await loggedIn()
    const entries: number[] = []
    let token = tokens.refresh_token
    for (let round = 0; round < 6; round++) {
      later(3700)
      // oxlint-disable-next-line no-await-in-loop
      token = String((await client.refresh(token)).body['refresh_token'])
      entries.push(gaugesOf(server.host.mcp, 'login_entries')['login_entries'] as number)
    }

    expect(entries.at(-1)).toBeLessThanOrEqual(entries[1] as number)
  })

  test('with an old token whose successor was used ends the session, also within the overlap', async () => {
    const { client, tokens } = await loggedIn()
    const second = await client.refresh(tokens.refresh_token)
    const third = await client.refresh(String(second.body['refresh_token']))

    expect(await client.refresh(tokens.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })

    expect(await client.refresh(String(third.body['refresh_token']))).toMatchObject({
      body: { error: 'invalid_grant' },
    })
    expect((await client.call(String(third.body['access_token']))).status).toBe(401)
  })

  test('while the provider is down answers 503, and the session goes on afterwards', async () => {
    const { client, tokens, server } = await loggedIn()
    server.company.isDown = true

    const answer = await client.refresh(tokens.refresh_token)
    expect([answer.status, answer.headers.get('retry-after'), answer.body['error']]).toStrictEqual([
      503,
      '5',
      'temporarily_unavailable',
    ])
    expect((await client.call(tokens.access_token)).status).toBe(200)

    server.company.isDown = false
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200)
  })

  test('of a user whom the provider dismissed ends the session', async () => {
    const { client, tokens, server } = await loggedIn()
    server.company.dismiss('ann')

    expect(await client.refresh(tokens.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })

    expect((await client.call(tokens.access_token)).status).toBe(401)
  })

  test('of a user who is no longer allowed ends the session', async () => {
    let members = ['ann']
    const allow = ({ claims }: { claims: Record<string, unknown> }): boolean => members.includes(String(claims['sub']))
    const { client, tokens } = await loggedIn({ allow })
    members = []

    expect(await client.refresh(tokens.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })
    expect((await client.call(tokens.access_token)).status).toBe(401)
  })

  test('of a user who has lost a scope gets tokens without it', async () => {
    let granted = ['users:read', 'users:write']
    const { client, tokens } = await loggedIn({ grant: () => granted })
    granted = ['users:read']

    const { body } = await client.refresh(tokens.refresh_token)

    expect((await client.call(String(body['access_token']), client.url, 'remove')).status).toBe(403)
    expect((await client.call(String(body['access_token']))).status).toBe(200)
  })

  test('keeps a session alive for as long as it is used, and no longer', async () => {
    const { client, tokens } = await loggedIn({ refreshDays: 2 })
    let token = tokens.refresh_token
    for (let day = 0; day < 5; day++) {
      later(86_400)
      // oxlint-disable-next-line no-await-in-loop
      const { status, body } = await client.refresh(token)
      expect([day, status]).toStrictEqual([day, 200])
      token = String(body['refresh_token'])
    }
    later(3 * 86_400)

    expect(await client.refresh(token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('while the store is down answers 503, and keeps the session', async () => {
    const store = new FailingStore()
    const { client, tokens } = await loggedIn({ store })
    store.isDown = true

    expect((await client.refresh(tokens.refresh_token)).status).toBe(503)
    expect((await client.call('unknown-token')).status).toBe(503)

    store.isDown = false
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200)
  })
})
