import { InMemoryLoginStore, type LoginOptions, login } from '@toolwright/login'
import { type Authenticator, anyOf, apiKeys } from 'toolwright'
import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient, type Tokens } from './support/raw-client.js'

afterEach(closeServers)
afterEach(() => jest.useRealTimers())

/** Moves the clock forward. Timers keep their real time. */
function later(seconds: number): void {
  const real = ['setTimeout', 'setInterval', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'hrtime']
  jest.useFakeTimers({ doNotFake: real as never, now: Date.now() + seconds * 1000 })
}

async function loggedIn(options: object = {}): Promise<{ server: ProtectedServer; client: RawClient; tokens: Tokens }> {
  const server = await ProtectedServer.start({ keepUpstreamTokens: true, ...options })
  const client = new RawClient(server.url)
  return { server, client, tokens: await client.logInForTokens() }
}

/** Returns the provider's token, as a handler gets it. */
async function upstreamTokenOf(client: RawClient, tokens: Tokens, url = client.url): Promise<string> {
  const { text } = await client.call(tokens.access_token, url, 'token')
  const { result } = JSON.parse(text) as { result: { isError?: boolean; content: { text: string }[] } }
  if (result.isError === true) throw new Error(text)
  return result.content[0]?.text ?? ''
}

/** Whether the provider accepts a token. */
async function isAccepted({ company }: ProtectedServer, token: string): Promise<boolean> {
  const response = await fetch(`${company.issuer}/me`, { headers: { authorization: `Bearer ${token}` } })
  return response.status === 200
}

describe("the provider's token in a handler", () => {
  test('is valid at the provider, and stays the same until it expires', async () => {
    const { server, client, tokens } = await loggedIn()

    const token = await upstreamTokenOf(client, tokens)

    expect(await isAccepted(server, token)).toBe(true)
    expect(token).not.toBe(tokens.access_token)
    later(300)
    expect(await upstreamTokenOf(client, tokens)).toBe(token)
    expect(server.company.refreshes).toBe(0)
  })

  test('is renewed once when it has expired, for concurrent calls at two nodes', async () => {
    const store = new InMemoryLoginStore()
    const { server, client, tokens } = await loggedIn({ store, accessSeconds: 7200 })
    const other = await ProtectedServer.start({ store, keepUpstreamTokens: true, accessSeconds: 7200 }, server)
    const second = new URL(`http://127.0.0.1:${other.port}/mcp`)
    const token = await upstreamTokenOf(client, tokens)

    later(601)
    const nodes = [server.url, second, server.url, second, second]
    const renewed = await Promise.all(nodes.map((url) => upstreamTokenOf(client, tokens, url)))

    expect(new Set(renewed).size).toBe(1)
    expect(renewed[0]).not.toBe(token)
    expect(await isAccepted(server, renewed[0] as string)).toBe(true)
    expect(server.company.refreshes).toBe(1)
  })

  test('and a refresh by the client use the refresh token of the provider once', async () => {
    const { server, client, tokens } = await loggedIn({ accessSeconds: 7200 })
    later(601)

    const [token, refreshed] = await Promise.all([
      upstreamTokenOf(client, tokens),
      client.refresh(tokens.refresh_token),
    ])

    expect(refreshed.status).toBe(200)
    expect(await isAccepted(server, token)).toBe(true)
    expect(server.company.refreshes).toBe(1)
  })

  test('that is about to expire is used during an outage, and later the call gets 503', async () => {
    const { server, client, tokens } = await loggedIn({ accessSeconds: 7200 })
    const token = await upstreamTokenOf(client, tokens)
    server.company.isDown = true

    later(570)
    expect(await upstreamTokenOf(client, tokens)).toBe(token)
    later(60)
    const { text } = await client.call(tokens.access_token, client.url, 'token')
    expect(text).toContain('Unavailable')

    server.company.isDown = false
    expect(await upstreamTokenOf(client, tokens)).not.toBe(token)
  })

  test('of a user whom the provider dismissed ends the session', async () => {
    const { server, client, tokens } = await loggedIn({ accessSeconds: 7200 })
    server.company.dismiss('ann')
    later(601)

    expect((await client.call(tokens.access_token, client.url, 'token')).text).toContain('log in again')
    expect((await client.call(tokens.access_token)).status).toBe(401)
    expect((await client.refresh(tokens.refresh_token)).body['error']).toBe('invalid_grant')
  })

  test('is there for a caller with added roles, and not for a caller with a key', async () => {
    const authentication = (options: LoginOptions): Authenticator => {
      const users = anyOf(login(options), apiKeys({ keys: [{ key: 'k'.repeat(20), subject: 'bot' }] }))
      return {
        ...users,
        async authenticate(request) {
          const principal = await users.authenticate(request)
          return principal === null ? null : { ...principal, roles: [...principal.roles, 'plan:pro'] }
        },
      }
    }
    const { server, client, tokens } = await loggedIn({ authentication })

    expect(await isAccepted(server, await upstreamTokenOf(client, tokens))).toBe(true)

    const headers = { 'x-api-key': 'k'.repeat(20) }
    const { text } = await client.call('', client.url, 'token', headers)
    expect(text).toContain('"isError":true')
    expect(JSON.stringify(server.logged)).toContain(
      'the caller has no session of a login with keepUpstreamTokens: true',
    )
  })
})

test('without keepUpstreamTokens, handlers get no token of the provider', async () => {
  const { server, client, tokens } = await loggedIn({ keepUpstreamTokens: false })

  await expect(upstreamTokenOf(client, tokens)).rejects.toThrow('isError')
  expect(JSON.stringify(server.logged)).toContain('keepUpstreamTokens: true. Set this option')
})
