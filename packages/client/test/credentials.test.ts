import { CredentialsError, connect } from '@toolwright/client'
import { AuthenticationError, type AuthenticationRequest, type Principal } from '@toolwright/core'
import { serveShop } from './support/lanes.js'
import type { ShopTools } from './support/shop-tools.js'

/** Accepts one token, which a test replaces. */
class OneToken {
  valid = 'first'
  readonly seen: (string | undefined)[] = []

  authenticate({ headers }: AuthenticationRequest): Principal | null {
    const given = headers['authorization']
    this.seen.push(typeof given === 'string' ? given : undefined)
    if (given === `Bearer ${this.valid}`) return { subject: 'ann', roles: [], scopes: [], claims: {} }
    if (given === undefined) return null
    throw new AuthenticationError('invalid_token', 'Unauthorized: the token is not valid')
  }
}

test('a client sends the token of its function, and calls the function again when the server rejects the token', async () => {
  const authentication = new OneToken()
  await using shop = await serveShop(0, { authentication, allowAnonymous: false })
  const reasons: string[] = []
  await using client = await connect(shop.http, {
    credentials: async (reason) => {
      reasons.push(reason)
      return reason === 'rejected' ? 'second' : authentication.seen.length < 5 ? 'first' : authentication.valid
    },
  })
  const tools = client.tools<ShopTools>()
  expect(await tools.countArticles()).toBe(2)
  expect(new Set(authentication.seen)).toEqual(new Set(['Bearer first']))
  expect(reasons).not.toContain('rejected')
  authentication.valid = 'second'
  expect(await tools.countArticles()).toBe(2)
  expect(authentication.seen.at(-1)).toBe('Bearer second')
})

test('a client with credentials that stay invalid is rejected once, without a second attempt', async () => {
  const authentication = new OneToken()
  await using shop = await serveShop(0, { authentication, allowAnonymous: false })
  const rejected = connect(shop.http, { era: 'modern', credentials: () => 'wrong' })
  await expect(rejected).rejects.toThrow(CredentialsError)
  expect(authentication.seen).toEqual(['Bearer wrong'])
})

test('a client without credentials is rejected with a CredentialsError', async () => {
  await using shop = await serveShop(0, { authentication: new OneToken(), allowAnonymous: false })
  await expect(connect(shop.http)).rejects.toThrow(/requires other credentials/)
  await expect(connect(shop.webSocket)).rejects.toThrow(CredentialsError)
})

test.each(['modern', 'legacy'] as const)(
  'a call of a %s client without the scope of the tool rejects with that scope',
  async (era) => {
    await using shop = await serveShop(0, { authentication: new OneToken(), allowAnonymous: false })
    shop.server.catalog.addTool({ name: 'refund', authorize: { scopes: ['till:write'] }, handler: () => 'refunded' })
    await using client = await connect(shop.http, { era, credentials: () => 'first' })
    const refunding = client.call('refund', {})
    await expect(refunding).rejects.toThrow(CredentialsError)
    await expect(refunding).rejects.toMatchObject({
      code: 'credentials',
      scope: 'till:write',
      message: "The call of 'refund' failed: the server requires credentials with the scope 'till:write'.",
    })
  },
)

test('credentials are sent when a WebSocket opens', async () => {
  const authentication = new OneToken()
  await using shop = await serveShop(0, { authentication, allowAnonymous: false })
  await using client = await connect(shop.webSocket, { credentials: () => 'first' })
  expect(await client.tools<ShopTools>().countArticles()).toBe(2)
  expect(await client.headers()).toEqual({ authorization: 'Bearer first' })
  expect(client.url?.href).toBe(shop.webSocket)
})

test('headers other than a bearer token are sent as they are', async () => {
  const seen: unknown[] = []
  const authentication = {
    authenticate: ({ headers }: AuthenticationRequest) => {
      seen.push(headers['x-api-key'], headers['x-fixed'])
      return null
    },
  }
  await using shop = await serveShop(0, { authentication })
  await using client = await connect(shop.http, {
    headers: { 'x-fixed': 'always' },
    credentials: () => ({ 'x-api-key': 'secret' }),
  })
  await client.ping()
  expect(new Set(seen)).toEqual(new Set(['secret', 'always']))
})

test('credentials are not sent to another origin', async () => {
  const authentication = new OneToken()
  await using shop = await serveShop(0, { authentication, allowAnonymous: false })
  const sent: { url: string; authorization: string | null }[] = []
  await using client = await connect(shop.http, {
    credentials: () => 'first',
    fetch: async (url, init) => {
      sent.push({ url: String(url), authorization: new Headers(init?.headers).get('authorization') })
      // Like a server that redirects its callers to another origin.
      if (sent.length === 3) return Response.redirect('http://127.0.0.1:9/stolen', 307)
      return fetch(url, init)
    },
  })
  await client.ping()
  await client.ping().catch(() => undefined)
  await client.ping().catch(() => undefined)
  expect(sent.filter(({ authorization }) => authorization !== null).map(({ url }) => new URL(url).origin)).toEqual(
    sent.filter(({ authorization }) => authorization !== null).map(() => new URL(shop.http).origin),
  )
  expect(sent.length).toBeGreaterThanOrEqual(3)
})

test('a client gets other credentials when the server rejects the credentials of a WebSocket', async () => {
  const authentication = new OneToken()
  await using shop = await serveShop(0, { authentication, allowAnonymous: false })
  const credentials = (reason: 'request' | 'rejected') => (reason === 'rejected' ? 'first' : 'old')
  await using client = await connect(shop.webSocket, { credentials })
  expect(await client.tools<ShopTools>().countArticles()).toBe(2)
  expect(authentication.seen).toEqual(['Bearer old', 'Bearer first'])
  await expect(connect(shop.webSocket, { credentials: () => 'old' })).rejects.toThrow(CredentialsError)
})
