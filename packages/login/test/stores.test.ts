import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileLoginStore, InMemoryLoginStore, type LoginStore } from '@toolwright/login'
import { newPrefix, RedisServer } from '../../redis/test/support/redis-server.js'
import { FakeBrowser } from './support/browser.js'
import { closeServers, ProtectedServer, secret } from './support/protected-server.js'
import { RawClient } from './support/raw-client.js'

const redis = RedisServer.forTests(closeServers)

const folder = mkdtempSync(join(tmpdir(), 'login-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function newFile(): string {
  return join(folder, 'sub', `${files++}.jsonl`)
}

const stores: readonly (readonly [string, () => Promise<LoginStore>])[] = [
  ['in memory', async () => new InMemoryLoginStore()],
  ['in a file', async () => new FileLoginStore(newFile())],
  ['in Redis', async () => (await redis.connect()).loginStore],
]

describe.each(stores)('a login store %s', (_where, open) => {
  test('stores, replaces, adds once, and takes once', async () => {
    const store = await open()
    await store.set('a', '1', 60_000)
    await store.set('a', '2', 60_000)

    expect(await store.get('a')).toBe('2')
    expect(await store.get('b')).toBeNull()
    const added = await Promise.all(Array.from({ length: 10 }, async () => store.add('b', 'x', 60_000)))
    expect(added.filter(Boolean)).toHaveLength(1)
    const taken = await Promise.all(Array.from({ length: 10 }, async () => store.take('a')))
    expect(taken.filter((value) => value !== null)).toStrictEqual(['2'])
    expect(await store.add('a', '3', 60_000)).toBe(true)
  })

  test('forgets entries after their time', async () => {
    const store = await open()
    await store.set('a', '1', 30)
    await store.set('b', '1', 60_000)
    await new Promise((resolve) => setTimeout(resolve, 60))

    expect(await store.get('a')).toBeNull()
    expect(await store.add('a', '2', 60_000)).toBe(true)
    expect(await store.get('b')).toBe('1')
  })
})

test('a full store in memory accepts nothing new, and drops nothing', async () => {
  const store = new InMemoryLoginStore(2)
  store.set('a', '1', 60_000)
  store.set('b', '1', 60_000)

  expect(() => store.set('c', '1', 60_000)).toThrow('none has expired')
  store.set('a', '2', 60_000)
  expect([store.get('a'), store.get('b')]).toStrictEqual(['2', '1'])
})

test('a flood of unfinished logins leaves room for sessions', async () => {
  const store = new InMemoryLoginStore(50)
  for (let index = 0; index < 5; index++) store.set(`Interaction:${index}`, 'x', 60_000)

  expect(() => store.set('Interaction:5', 'x', 60_000)).toThrow('none has expired')
  expect(store.add('session:1', 'x', 60_000)).toBe(true)
})

test('a file survives a crash in the middle of a line, and does not grow for ever', async () => {
  const file = newFile()
  const store = new FileLoginStore(file)
  for (let index = 0; index < 1500; index++) {
    // oxlint-disable-next-line no-await-in-loop
    await store.set('a', String(index), 60_000)
  }
  await store.set('b', 'x', 60_000)
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(1100)
  appendFileSync(file, '["c","half')

  const next = new FileLoginStore(file)

  expect([next.get('a'), next.get('b'), next.get('c')]).toStrictEqual(['1499', 'x', null])
})

test('a file contains no tokens, codes, claims or keys in the clear', async () => {
  const file = newFile()
  const server = await ProtectedServer.start({ store: new FileLoginStore(file) })
  // Too long to be a part of random text.
  const user = 'ann-of-accounts'
  server.company.user = user
  const client = new RawClient(server.url)
  const tokens = await client.logInForTokens()
  await client.refresh(tokens.refresh_token)

  const text = readFileSync(file, 'utf8')

  for (const part of [tokens.access_token, tokens.refresh_token, user, user.toUpperCase(), 'users:read'])
    expect(text).not.toContain(part)
})

test.each([
  ['a restart', {}],
  ['a rotation of the secret', { secret: ['the new secret, which is long enough', secret] }],
])('%s keeps clients, sessions and pending logins', async (_what, changes) => {
  const file = newFile()
  const first = await ProtectedServer.start({ store: new FileLoginStore(file) })
  const client = new RawClient(first.url)
  const tokens = await client.logInForTokens()
  const browser = new FakeBrowser()
  const pending = client.authorization()
  const { url, response } = await browser.follow(pending.url, client.redirectUri)
  const page = await (response as Response).text()
  const { port, company } = first
  // The provider stays up: only this server restarts.
  await first.stop()

  const next = await ProtectedServer.start({
    store: new FileLoginStore(file),
    port,
    provider: company.preset(),
    ...changes,
  })

  await leaveOldConnections(client.url)
  expect((await client.call(tokens.access_token)).status).toBe(200)
  expect((await client.refresh(tokens.refresh_token)).status).toBe(200)
  const reached = await browser.follow(url, client.redirectUri, browser.submit(page, url))
  expect((await client.exchange(String(reached.url.searchParams.get('code')), pending.verifier)).status).toBe(200)
  await next.close()
  await company.close()
})

test('without the old secret, all logins have ended, and clients have to register again', async () => {
  const file = newFile()
  const first = await ProtectedServer.start({ store: new FileLoginStore(file) })
  const client = new RawClient(first.url)
  const tokens = await client.logInForTokens()
  const { port, company } = first
  await first.stop()
  await ProtectedServer.start({
    store: new FileLoginStore(file),
    port,
    provider: company.preset(),
    secret: 'another secret, which is long enough',
  })

  await leaveOldConnections(client.url)
  expect((await client.call(tokens.access_token)).status).toBe(401)
  expect(await client.refresh(tokens.refresh_token)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  await company.close()
})

describe('a login at two nodes with Redis', () => {
  async function twoNodes() {
    const prefix = newPrefix()
    const connect = async () => (await redis.connect({ prefix })).loginStore
    const [oneStore, otherStore] = [await connect(), await connect()]
    const one = await ProtectedServer.start({ store: oneStore })
    const other = await ProtectedServer.start({ store: otherStore, url: one.url.href }, one)
    return { one, other, client: new RawClient(one.url) }
  }

  test('can take each step at another node', async () => {
    const { one, other, client } = await twoNodes()
    await client.register()
    const { url, verifier } = client.authorization()
    const nodes = [one.port, other.port]
    let step = 0
    // Sends each request to the next node, as a load balancer does. Cookies belong to the public host.
    const browser = new FakeBrowser()
    const open = browser.open.bind(browser)
    browser.open = (to, init) =>
      to.origin === one.url.origin ? openAt(browser, to, nodes[step++ % 2] as number, init) : open(to, init)

    const reached = await browser.logIn(url)

    expect(step).toBeGreaterThan(4)
    const code = String(reached.searchParams.get('code'))
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: client.redirectUri }
    const origin = `http://127.0.0.1:${other.port}`
    const { status, body } = await client.token(form, {}, origin)
    expect(status).toBe(200)
    for (const port of nodes) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await client.call(String(body['access_token']), new URL(`http://127.0.0.1:${port}/mcp`))).status).toBe(
        200,
      )
    }
  })

  test('accepts a code once, and a refresh at both nodes at once gets one answer', async () => {
    const { one, other, client } = await twoNodes()
    const origins = [one, other].map(({ port }) => `http://127.0.0.1:${port}`)
    const { code, verifier } = await client.logIn()
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: client.redirectUri }
    const codes = await Promise.all(
      origins.flatMap((origin) => [client.token(form, {}, origin), client.token(form, {}, origin)]),
    )
    expect(codes.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)

    const tokens = await client.logInForTokens()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_none, index) => client.refresh(tokens.refresh_token, {}, origins[index % 2])),
    )

    expect(answers.map(({ status }) => status)).toStrictEqual(answers.map(() => 200))
    expect(new Set(answers.map(({ body }) => body['refresh_token'])).size).toBe(1)
    expect(one.company.refreshes).toBe(1)
  })

  test('goes on after one node was stopped in the middle of a login', async () => {
    const { one, other, client } = await twoNodes()
    await client.register()
    const { url: start, verifier } = client.authorization()
    const browser = new FakeBrowser()
    const { url, response } = await browser.follow(start, client.redirectUri)
    const form = browser.submit(await (response as Response).text(), url)
    await one.stop()
    const open = browser.open.bind(browser)
    browser.open = (to, init) => (to.origin === one.url.origin ? openAt(browser, to, other.port, init) : open(to, init))

    const reached = await browser.follow(url, client.redirectUri, form)

    const code = String(reached.url.searchParams.get('code'))
    const grant = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: client.redirectUri }
    expect((await client.token(grant, {}, `http://127.0.0.1:${other.port}`)).status).toBe(200)
  })
})

/** Sends a request for the public host to one node. */
async function openAt(browser: FakeBrowser, url: URL, port: number, init: RequestInit = {}): Promise<Response> {
  const node = new URL(url)
  node.port = String(port)
  return browser.openVia(url, node, init)
}

/** `fetch` notices at the next request that a connection to a stopped server has ended. */
async function leaveOldConnections(url: URL): Promise<void> {
  let failures = 1
  while (failures > 0) {
    // oxlint-disable-next-line no-await-in-loop
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => fetch(url)))
    failures = answers.filter(({ status }) => status === 'rejected').length
  }
}
