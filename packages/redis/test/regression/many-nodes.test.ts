// Symptoms that users of several nodes saw.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { connectRedis, type RedisOptions } from '@toolwright/redis'
import pino from 'pino'
import { createHost } from 'toolwright'
import { closeApps, connectTo, legacyMessage } from '../../../../test/support/client/index.js'
import { until } from '../../../../test/support/until.js'
import { type Node, openNodes, openSession, openSessions } from '../support/nodes.js'
import { newPrefix, RedisServer } from '../support/redis-server.js'

const server = RedisServer.forTests(async () => {
  server.proxy.delayMs = 0
  await closeApps()
})

const resources = ['notes://one', 'notes://last'].map((uri) => ({ uri, name: uri, handler: () => 'text' }))

function update(node: Node, uri: string): void {
  node.app.mcp.changes.resourceUpdated(uri)
}

describe('a GET stream at one node, with subscriptions changed at another', () => {
  it('gets no message after resources/unsubscribe at the other node', async () => {
    const nodes = await openNodes(server, { resources })
    const b = nodes[1]
    const { atA, atB, close } = await openSessions(nodes)
    for (const uri of ['notes://one', 'notes://last']) await atA.request('resources/subscribe', { uri })
    const stream = await atA.listen()
    await atB.request('resources/unsubscribe', { uri: 'notes://one' })

    for (let count = 0; count < 5; count++) {
      update(b, 'notes://one')
      await delay(5)
    }
    update(b, 'notes://last')

    expect((await stream.message()).params.uri).toBe('notes://last')
    stream.cut()
    close()
  })

  it('gets each change once, also of a resource subscribed to at the other node', async () => {
    const nodes = await openNodes(server, { resources })
    const [a, b] = nodes
    const { atA, atB, close } = await openSessions(nodes)
    const stream = await atA.listen()
    for (const uri of ['notes://one', 'notes://last']) await atB.request('resources/subscribe', { uri })

    update(b, 'notes://one')
    const first = await stream.message()
    update(a, 'notes://last')
    const second = await stream.message()

    expect([first, second].map(({ params }) => params.uri)).toStrictEqual(['notes://one', 'notes://last'])
    stream.cut()
    close()
  })
})

it.each(['with Last-Event-ID', 'without it'])(
  'a GET stream %s is resumed although the event store was restored from an older snapshot',
  async (how) => {
    const [node] = await openNodes(server, { resources })
    const client = await openSession(node)
    await client.request('resources/subscribe', { uri: 'notes://one' })
    const { eventStore } = node.redis.stores
    const key = { sessionId: client.sessionId, streamId: '0' }
    const stream = await client.listen()
    for (let count = 0; count < 4; count++) {
      update(node, 'notes://one')
      await stream.message()
    }
    const lastEvent = await eventStore.read(key, 0, 100)
    stream.cut()
    await until(async () => (await node.redis.stores.sessionStore.get(client.sessionId))?.delivered !== 0)
    await eventStore.delete(client.sessionId)
    await eventStore.append(key, '', false)

    const { streamId } = key
    const last = `${streamId}-${lastEvent?.events.at(-1)?.sequence ?? 4}`
    const next = how === 'without it' ? await client.listen() : await client.resume(last)
    update(node, 'notes://one')

    expect(next.status).toBe(200)
    expect((await next.message()).params.uri).toBe('notes://one')
    next.cut()
    client.close()
  },
)

it('calls after a lost connection to Redis wait for the next connection', async () => {
  const [{ app }] = await openNodes(server, {
    tools: [{ name: 'echo', handler: () => 'on' }],
    rateLimit: { calls: 1000, windowMs: 60_000 },
  })
  const client = connectTo(app)
  await client.call('echo')
  server.proxy.cut()
  // Until the client of Redis notices the lost connection.
  await delay(2)

  const replies = await Promise.all(Array.from({ length: 50 }, () => client.call('echo')))

  expect(replies.filter(({ status }) => status !== 200)).toStrictEqual([])
})

it('a tool that reports 500 times ends soon with a Redis latency of 10 ms', async () => {
  const reports = {
    name: 'reports',
    handler: async (_args: unknown, context: { progress(progress: number): void }) => {
      for (let count = 1; count <= 500; count++) context.progress(count)
      return 'done'
    },
  }
  const [node] = await openNodes(server, { tools: [reports], limits: { maxStoredEvents: 1000 } })
  const client = await openSession(node)
  server.proxy.delayMs = 5
  const began = performance.now()
  const params = { name: 'reports', _meta: { progressToken: 'p' } }

  const stream = await client.stream(legacyMessage('tools/call', params))
  const messages = []
  while (messages.at(-1)?.result === undefined && messages.length < 600) messages.push(await stream.message())

  // One round trip for each would take at least 5 seconds.
  expect(performance.now() - began).toBeLessThan(4000)
  const progress = messages.slice(0, -1).map(({ params: { progress: each } }) => each)
  expect(progress).toStrictEqual(progress.toSorted((one, other) => one - other))
  expect(progress.at(-1)).toBe(500)
  client.close()
})

it('one append drops old events of at most a hundred sessions', async () => {
  const prefix = newPrefix()
  const open = async (storedEventMs: number) =>
    (await server.connect({ prefix, limits: { storedEventMs } })).stores.eventStore
  const [long, short] = [await open(60_000), await open(1)]
  for (let count = 0; count < 150; count++) await long.append({ sessionId: String(count), streamId: 'a' }, 'old', false)
  await delay(5)

  await short.append({ sessionId: 'new', streamId: 'a' }, 'new', false)

  expect(await server.command(`ZCARD ${prefix}{events}:sessions`)).toContain(':51')
})

describe('connectRedis', () => {
  const logger = pino({ level: 'silent' })
  const boot = (name: string, options: RedisOptions, limits = {}) =>
    server.connect(options).then((redis) =>
      createHost({
        name,
        version: '1.0.0',
        controllers: [],
        limits,
        ...redis.stores,
        fastify: { logger: false },
        onReady,
      }),
    )
  const onReady = (mcp: { catalog: { addTool(tool: object): void } }): void =>
    mcp.catalog.addTool({ name: 'quick', handler: () => 'done' })

  it('reports two servers with one prefix at boot', async () => {
    const prefix = newPrefix()
    const first = await boot('clock', { prefix })
    const again = await boot('clock', { prefix })

    await expect(boot('weather', { prefix })).rejects.toThrow(
      `the prefix '${prefix}' belongs to the server 'clock', and this server is 'weather'`,
    )
    await Promise.all([first.close(), again.close()])
  })

  it('uses the limits of the server, and reports others at boot', async () => {
    const redis = await server.connect()
    const host = await createHost({
      name: 'clock',
      version: '1.0.0',
      controllers: [],
      limits: { maxTasks: 1 },
      ...redis.stores,
      fastify: { logger: false },
      onReady,
    })
    const { store } = redis.stores.tasks
    const task = { owner: null, status: 'working', createdAt: Date.now(), lastUpdatedAt: 0, ttlMs: 60_000 } as const

    expect([await store.create({ taskId: 'a', ...task }), await store.create({ taskId: 'b', ...task })]).toStrictEqual([
      true,
      false,
    ])
    await expect(boot('other', { limits: { maxSessions: 5 } }, { maxSessions: 6 })).rejects.toThrow(
      'connectRedis: limits.maxSessions is 5, and limits.maxSessions of the server is 6.',
    )
    await host.close()
  })

  it('calls a url function for each connection, and accepts valkey:', async () => {
    const urls: string[] = []
    const redis = await server.connect({
      url: () => {
        urls.push(server.url)
        return server.url.replace('redis:', 'valkey:')
      },
    })
    const before = urls.length
    server.proxy.cut()

    await until(() =>
      redis.check().then(
        () => urls.length > before,
        () => false,
      ),
    )
    expect(before).toBe(2)
  })

  it('reports a wrong password, missing or unexpected TLS, and options that exclude each other', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined).end()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const reason = (options: RedisOptions): Promise<string> =>
      connectRedis({ logger, timeoutMs: 500, ...options }).then(
        () => 'connected',
        (error: Error) => error.message,
      )

    expect(await reason({ url: server.url.replace('//', '//nobody:wrong@') })).toContain(
      'Correct the user and the password.',
    )
    expect(await reason({ url: `redis://127.0.0.1:${port}` })).toContain(
      'If the server expects TLS, begin the url with rediss://.',
    )
    expect(await reason({ url: server.url.replace('redis:', 'rediss:') })).toContain('begin the url with redis://.')
    expect(await reason({ url: server.url, tls: {} })).toContain('Begin the url with rediss://.')
    expect(await reason({ url: server.url, sentinel: { name: 'a', sentinelRootNodes: [] } })).toContain(
      'url and sentinel are given together. Give one of them.',
    )
    expect(await reason({ cluster: { rootNodes: [{ url: server.url }] } })).toContain(
      'The server is not a cluster: give its address as url.',
    )
    silent.close()
  })
})
