// Responses to clients while Redis is down or does not respond, and the recovery.
import pino from 'pino'
import { createHost } from 'toolwright'
import { closeApps, connectTo, metaKeys, type TestTool } from '../../../test/support/client/index.js'
import { delay } from '../../../test/support/delay.js'
import { createGate } from '../../../test/support/gate.js'
import { sessionRecord } from '../../../test/support/session-record.js'
import { until } from '../../../test/support/until.js'
import { askTask, beginTask, openNodes, openSessions } from './support/nodes.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const record = sessionRecord('a')

const server = RedisServer.forTests(closeApps)

const echo: TestTool = { name: 'echo', handler: () => 'on' }

const outages = [
  ['is gone', () => server.proxy.goAway()],
  ['answers nothing', () => server.proxy.hang()],
] as const

describe.each(outages)('while Redis %s', (_how, begin) => {
  it('requests in sessions get 503, others are served, and the session continues afterwards', async () => {
    const nodes = await openNodes(server, { tools: [echo] })
    const [a] = nodes
    const { atA, close } = await openSessions(nodes)
    begin()

    const [found, opened, modernCall, statelessCall] = await Promise.all([
      atA.request('ping'),
      connectTo(a.app, { era: 'legacy' }).initialize('2025-11-25'),
      connectTo(a.app).call('echo'),
      connectTo(a.app, { era: 'legacy' }).call('echo'),
    ])

    expect([found, opened].map((reply) => [reply.status, reply.headers['retry-after']])).toStrictEqual([
      [503, '1'],
      [503, '1'],
    ])
    expect([modernCall.status, statelessCall.status]).toStrictEqual([200, 200])
    server.proxy.comeBack()
    await until(async () => (await atA.request('ping')).status === 200)
    close()
  })

  it('requests for tasks and rate-limited requests get 503', async () => {
    const long: TestTool = { name: 'long', task: 'required', handler: () => 'done' }
    const [{ app }] = await openNodes(server, { tools: [long] })
    const client = connectTo(app)
    const [{ app: counting }] = await openNodes(server, { tools: [echo], rateLimit: { calls: 100, windowMs: 60_000 } })
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const _meta = { [metaKeys.capabilities]: capabilities }
    begin()

    const replies = await Promise.all([
      client.request('tools/call', { name: 'long', _meta }),
      client.request('tasks/get', { taskId: 'a', _meta }, { headers: { 'mcp-name': 'a' } }),
      connectTo(counting).call('echo'),
    ])

    expect(replies.map((reply) => [reply.status, reply.headers['retry-after']])).toStrictEqual(
      replies.map(() => [503, '1']),
    )
  })

  it('a task that ends meanwhile is stored as ended afterwards', async () => {
    const gate = createGate()
    const waits: TestTool = { name: 'waits', task: 'required', handler: () => gate.opened.then(() => 'done') }
    const [a] = await openNodes(server, { tools: [waits] })
    const { taskId } = await beginTask(a)
    begin()
    gate.open()
    // Continues only after a failed call of the store.
    await until(async () => (await askTask(a, 'tasks/get', taskId)).status === 503)

    server.proxy.comeBack()

    const read = async () => (await askTask(a, 'tasks/get', taskId)).json.result
    await until(async () => (await read())?.status === 'completed')
    expect(await read()).toMatchObject({ result: { content: [{ text: 'done' }] } })
  })

  it('the readiness probe fails until Redis is back', async () => {
    const redis = await server.connect({ timeoutMs: 1000 })
    const host = await createHost({
      name: 'probed',
      version: '1.0.0',
      controllers: [],
      ...redis.stores,
      health: { checks: { redis: redis.check }, cacheMs: 1 },
      fastify: { logger: false },
    })
    const ready = async (): Promise<number> => (await host.inject('/health/ready')).statusCode
    expect(await ready()).toBe(200)
    begin()

    await until(async () => (await ready()) === 503)

    server.proxy.comeBack()
    await until(async () => (await ready()) === 200)
    await host.close()
  })

  it('messages of other nodes arrive afterwards, also for subscriptions made meanwhile', async () => {
    const prefix = newPrefix()
    const [one, other] = [
      await server.connect({ prefix, timeoutMs: 1000 }),
      await server.connect({ prefix, timeoutMs: 1000 }),
    ]
    const ended: string[] = []
    const listen = (): (() => void) =>
      one.stores.sessionStore.attach({
        isInUse: () => false,
        ended: (id) => void ended.push(id),
        received: () => undefined,
      })
    const detach = listen()
    begin()
    // Three probes are late by then, and the connections are closed.
    await until(async () =>
      one.check().then(
        () => false,
        ({ message }) => message === 'There is no connection to Redis',
      ),
    )
    detach()
    server.stopLater(listen())
    server.proxy.comeBack()
    await until(() =>
      Promise.all([one.check(), other.check()]).then(
        () => true,
        () => false,
      ),
    )

    await other.stores.sessionStore.create(record, 60_000)
    await other.stores.sessionStore.delete(record.sessionId)

    await until(() => ended.length > 0)
    expect(ended).toStrictEqual([record.sessionId])
  })
})

it.each([50, 200])('commands that begin while Redis is gone for %d ms wait for the new connection', async (goneMs) => {
  const { sessionStore } = (await server.connect({ timeoutMs: 5000 })).stores
  await sessionStore.create(record, 60_000)
  server.proxy.goAway()
  // Begins when the connection is lost, and the first attempt to reconnect has failed.
  await delay(20)

  const reading = Promise.all(Array.from({ length: 20 }, async () => sessionStore.get(record.sessionId)))
  await Promise.race([delay(goneMs), reading])
  server.proxy.comeBack()

  expect(new Set((await reading).map((read) => read?.sessionId))).toStrictEqual(new Set([record.sessionId]))
})

it('commands that begin later in an outage fail at once', async () => {
  const redis = await server.connect({ timeoutMs: 5000 })
  server.proxy.goAway()
  const reasons: unknown[] = []
  await until(async () => {
    const began = performance.now()
    await redis.check().catch(({ message }: Error) => reasons.push(message))
    return reasons.length > 1 && performance.now() - began < 20
  })
  expect(reasons.at(-1)).toBe('There is no connection to Redis')
})

it('watchers of a stream read it again after an outage, because notices were missed', async () => {
  const { eventStore } = (await server.connect({ timeoutMs: 1000 })).stores
  let looks = 0
  server.stopLater(eventStore.watch({ sessionId: 'a', streamId: 'a' }, () => looks++))
  await until(() => looks === 1)

  server.proxy.goAway()
  await delay(50)
  server.proxy.comeBack()

  await until(() => looks === 2)
  expect(looks).toBe(2)
})

it('concurrent changes of one session that wait for a slow Redis are limited', async () => {
  const { sessionStore } = (await server.connect()).stores
  await sessionStore.create(record, 60_000)
  server.proxy.hang()
  const change = async () => sessionStore.update(record.sessionId, (session) => ({ ...session, isInitialized: true }))
  const changes = Promise.allSettled(Array.from({ length: 1000 }, change))

  await expect(change()).rejects.toThrow('Too many changes of the same item are waiting')

  server.proxy.comeBack()
  await changes
  expect(await sessionStore.get(record.sessionId)).toMatchObject({ isInitialized: true })
})

it('a server that becomes read-only is not ready, and is reconnected until it accepts writes', async () => {
  const prefix = newPrefix()
  const redis = await server.connect({ prefix, timeoutMs: 1000 })
  const check = (): Promise<string> =>
    redis.check().then(
      () => 'ready',
      ({ message }) => message,
    )
  await server.command('REPLICAOF 127.0.0.1 1')

  try {
    await until(async () => (await check()) === 'There is no connection to Redis')
    await expect(server.connect({ prefix })).rejects.toThrow(/cannot be used: READONLY/)
  } finally {
    await server.command('REPLICAOF NO ONE')
  }

  await until(async () => (await check()) === 'ready')
  expect(await redis.stores.sessionStore.create(record, 60_000)).toBe(true)
})

it('a connection to a server that does not respond times out, with an error without the password', async () => {
  server.proxy.hang()
  const url = new URL(server.url)
  url.password = 'secret'

  const connecting = server.connect({ url: url.href, timeoutMs: 50 })

  await expect(connecting).rejects.toThrow(
    `Redis at 127.0.0.1:${server.proxy.port} cannot be used: it did not settle within 50 ms`,
  )
})

it('a server that is out of memory is not ready, and recovers', async () => {
  const redis = await server.connect()
  const { sessionStore } = redis.stores
  await sessionStore.create(record, 60_000)
  await server.command('CONFIG SET maxmemory 1')

  try {
    await expect(redis.check()).rejects.toThrow('OOM')
    // Commands that need no memory continue, over the same connection.
    expect(await sessionStore.get(record.sessionId)).toStrictEqual(record)
  } finally {
    await server.command('CONFIG SET maxmemory 0')
  }

  await redis.check()
})

it('an eviction policy that may drop live keys is logged at boot', async () => {
  const lines: string[] = []
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  await server.command('CONFIG SET maxmemory 1gb')
  try {
    await server.connect({ logger })
    expect(lines).toEqual([])
    await server.command('CONFIG SET maxmemory-policy volatile-lru')
    await server.connect({ logger })
  } finally {
    await server.command('CONFIG SET maxmemory 0')
    await server.command('CONFIG SET maxmemory-policy noeviction')
  }

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 40,
      policy: 'volatile-lru',
      msg: 'Redis may evict sessions, events and tasks in use: set its maxmemory-policy to noeviction',
    },
  ])
})

it('the reason for a broken connection is logged, and the reason for failing to reconnect, each once', async () => {
  const lines: string[] = []
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  const redis = await server.connect({ logger, timeoutMs: 1000 })
  const user = 'ACL SETUSER default'

  await server.command(`${user} resetpass >hush`)
  try {
    server.proxy.goAway()
    server.proxy.comeBack()
    await until(() => lines.some((line) => line.includes('NOAUTH')))
    await delay(500)
  } finally {
    await server.command('AUTH hush\r\nACL SETUSER default nopass')
  }

  await until(() =>
    redis.check().then(
      () => true,
      () => false,
    ),
  )
  const texts = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('for the stores'))
  expect(texts.map(({ msg }) => msg.split(' for the stores ')[1])).toStrictEqual([
    'broke: trying again',
    'cannot be opened: trying again',
    'is restored',
  ])
})
