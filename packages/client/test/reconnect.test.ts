import { ConnectionError, connect } from '@toolwright/client'
import { serveShop, shopCommand } from './support/lanes.js'
import { createShop, type ShopTools } from './support/shop-tools.js'

const reconnect = { attempts: 20, delayMs: 20, maxDelayMs: 100 }

/** The port of a URL, to serve there again. */
const portOf = (url: string): number => Number(new URL(url).port)

describe.each(['modern', 'legacy'] as const)('a client of the %s era whose server restarts', (era) => {
  test('opens a WebSocket again for the next call', async () => {
    const first = await serveShop()
    await using client = await connect(first.webSocket, { era, reconnect })
    const tools = client.tools<ShopTools>()
    expect(await tools.countArticles()).toBe(2)
    await first[Symbol.asyncDispose]()
    await using second = await serveShop(portOf(first.http))
    expect(second.http).toBe(first.http)
    expect(await tools.countArticles()).toBe(2)
  })

  test('calls over HTTP, in a new session if the old connection had a session', async () => {
    const first = await serveShop(0, { sessions: true })
    await using client = await connect(first.http, { era, reconnect })
    const tools = client.tools<ShopTools>()
    expect(await tools.countArticles()).toBe(2)
    await first[Symbol.asyncDispose]()
    await using second = await serveShop(portOf(first.http), { sessions: true })
    expect(second.http).toBe(first.http)
    // The pool of fetch may still have connections to the first one, whose requests then fail.
    const isThere = (): Promise<boolean> =>
      client.ping().then(
        () => true,
        () => false,
      )
    // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
    while (!(await isThere())) await new Promise(setImmediate)
    expect(await tools.countArticles()).toBe(2)
  })

  test('renews its subscriptions over a WebSocket, and reports what it may have missed', async () => {
    const first = await serveShop()
    await using client = await connect(first.webSocket, { era, reconnect })
    await using updates = await client.updates('shop://stock/tea')
    await first[Symbol.asyncDispose]()
    await using second = await serveShop(portOf(first.http))
    // The gap counts as a change.
    expect((await updates.next()).value).toBe('shop://stock/tea')
    second.server.changes.resourceUpdated('shop://stock/tea')
    expect((await updates.next()).value).toBe('shop://stock/tea')
  })
})

test('a client restarts a program that has ended', async () => {
  const pids: number[] = []
  await using client = await connect(shopCommand, { era: 'modern', reconnect })
  const tools = client.tools<ShopTools>()
  expect(await tools.countArticles()).toBe(2)
  const { transport } = client.official as unknown as { transport: { pid: number } }
  pids.push(transport.pid)
  const closed = new Promise<void>((resolve) => {
    const { onclose } = client.official
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the official client has no listeners
    client.official.onclose = () => {
      onclose?.()
      resolve()
    }
  })
  process.kill(transport.pid, 'SIGKILL')
  await closed
  expect(await tools.countArticles()).toBe(2)
  expect((client.official as unknown as { transport: { pid: number } }).transport.pid).not.toBe(pids[0])
})

test('a call in flight is not repeated when the connection is lost', async () => {
  const first = await serveShop()
  await using client = await connect(first.webSocket, { era: 'modern', reconnect })
  const call = client.tools<ShopTools>().waitForever()
  const outcome = call.catch((error: unknown) => error)
  await call.progress.close()
  await client.ping()
  await first[Symbol.asyncDispose]()
  expect(await outcome).toBeInstanceOf(ConnectionError)
})

test('a client with reconnect: false rejects calls after a lost connection', async () => {
  const first = await serveShop()
  await using client = await connect(first.webSocket, { era: 'modern', reconnect: false })
  await client.ping()
  await first[Symbol.asyncDispose]()
  await expect(client.ping()).rejects.toThrow(`The connection to ${first.webSocket} was lost.`)
})

test('the error for an unreachable server contains its URL', async () => {
  const first = await serveShop()
  await first[Symbol.asyncDispose]()
  for (const url of [first.http, first.webSocket]) {
    const error: unknown = await connect(url).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConnectionError)
    expect((error as Error).message).toContain(url)
    expect((error as Error).message).toContain('ECONNREFUSED')
  }
})

test('a closed client rejects further calls and ends its subscriptions', async () => {
  const server = await createShop()
  const client = await connect(server)
  const changes = await client.changes()
  const next = changes.next()
  await client.close()
  expect(await next).toEqual({ done: true, value: undefined })
  await expect(client.ping()).rejects.toThrow('The client of the server in this process has been closed.')
  await server.close()
})

test('connect rejects a target that is not a server with a TypeError', async () => {
  await expect(connect('shop')).rejects.toThrow("'shop' is not a URL. Give one such as http://127.0.0.1:3000/mcp.")
  await expect(connect('ftp://127.0.0.1/')).rejects.toThrow(TypeError)
  await expect(connect({} as never)).rejects.toThrow('There is no server to connect to.')
})
