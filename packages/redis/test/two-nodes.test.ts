// Two nodes that share a Redis: a client can use either, and the other when one has stopped.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { defaultLimits } from '@toolwright/core'
import { closeApps, connectTo, legacyMessage, messagesIn, type TestTool } from '../../../test/support/client/index.js'
import { until } from '../../../test/support/until.js'
import { sessionsOf } from '../../fastify/test/support/sessions.js'
import { createWaitingTool } from '../../fastify/test/support/waiting-tool.js'
import { askTask, beginTask, openNodes, openSessions } from './support/nodes.js'
import { RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests(closeApps)

const echo: TestTool = { name: 'echo', handler: () => 'on' }

it('an official client whose session was opened on one node continues on the other, also when the first is closed', async () => {
  const [a, b] = await openNodes(server, { tools: [echo] })
  let { port } = a
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
    // Like a load balancer.
    fetch: async (url, init) => fetch(String(url).replace(/:\d+/, `:${port}`), init),
  })
  const client = new Client({ name: 'moving', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(transport)
  const { sessionId } = transport

  port = b.port
  const whileBothAreThere = await client.callTool({ name: 'echo' })
  await a.app.close()
  const afterwards = await client.callTool({ name: 'echo' })

  expect([whileBothAreThere.content, afterwards.content]).toStrictEqual(
    Array.from({ length: 2 }, () => [{ type: 'text', text: 'on' }]),
  )
  expect([typeof sessionId, transport.sessionId]).toStrictEqual(['string', sessionId])
  await client.close()
})

it('DELETE on one node ends the session on the other, with its calls and streams', async () => {
  const { tool, seen, release } = createWaitingTool()
  const nodes = await openNodes(server, { tools: [tool] })
  const [a, b] = nodes
  const { atA, atB, close } = await openSessions(nodes)
  const stream = await atA.listen()
  const calling = atA.call('wait')
  await until(() => a.app.mcp.metrics().inFlight.value > 0)

  const deleted = await atB.end()

  expect(deleted.status).toBe(200)
  expect((await stream.rest()).filter(({ data }) => data !== '')).toStrictEqual([])
  await calling
  expect(seen.aborted).toBe(1)
  const statuses = await Promise.all([a, b].map(async ({ app }) => (await atA.at(app).request('ping')).status))
  expect(statuses).toStrictEqual([404, 404])
  release()
  close()
})

it('the stream of a call on one node is resumed on the other', async () => {
  const { tool, release } = createWaitingTool()
  const { atA, atB, close } = await openSessions(await openNodes(server, { tools: [tool] }))
  const first = await atA.stream(legacyMessage('tools/call', { name: 'wait', _meta: { progressToken: 't' } }))
  const [, progress] = await first.take(2)
  first.cut()

  const second = await atB.resume(progress?.id)
  release()

  const rest = messagesIn(await second.rest())
  expect(rest.map(({ params, result }) => params?.progress ?? result.content[0].text)).toStrictEqual([2, 'done'])
  close()
})

it('the GET stream is resumed on the other node, with changes of both', async () => {
  const nodes = await openNodes(server, {
    tools: [echo],
    resources: [{ uri: 'notes://one', name: 'one', handler: () => 'one' }],
  })
  const [a, b] = nodes
  const { atA, atB, close } = await openSessions(nodes)
  await atA.request('resources/subscribe', { uri: 'notes://one' })
  const first = await atA.listen()
  b.app.mcp.changes.toolsChanged()
  expect(await first.message()).toMatchObject({ method: 'notifications/tools/list_changed' })
  first.cut()
  await until(() => !sessionsOf(a.app).held.isInUse(atA.sessionId))
  await a.app.close()

  const second = await atB.listen()
  b.app.mcp.changes.resourceUpdated('notes://one')

  const seen: string[] = []
  while (seen.at(-1) !== 'notifications/resources/updated') seen.push((await second.message()).method)
  expect(seen.length).toBeLessThan(9)
  close()
})

it('infinite limits work over Redis, too', async () => {
  const limits = Object.fromEntries(
    Object.keys(defaultLimits)
      .filter((name) => /Sessions?|Stored|stored|session|Task/.test(name))
      .map((name) => [name, Infinity]),
  )
  expect(Object.keys(limits)).toHaveLength(10)
  const long: TestTool = { name: 'waits', task: 'required', handler: () => 'done' }
  const nodes = await openNodes(server, { tools: [long], limits })
  const [a, b] = nodes
  const { atB, close } = await openSessions(nodes)
  b.app.mcp.changes.toolsChanged()
  const stream = await atB.listen()
  a.app.mcp.changes.toolsChanged()

  expect(await stream.message()).toMatchObject({ method: 'notifications/tools/list_changed' })
  const { taskId } = await beginTask(a)
  await until(async () => (await askTask(b, 'tasks/get', taskId)).json.result.status === 'completed')
  close()
})

it('a task that began on one node is polled and cancelled on the other', async () => {
  let aborted = 0
  const waits: TestTool = {
    name: 'waits',
    task: 'required',
    handler: async (_args, { signal }) => {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve)
      })
      aborted++
    },
  }
  const [a, b] = await openNodes(server, { tools: [waits] })
  const { taskId } = await beginTask(a)

  expect((await askTask(b, 'tasks/get', taskId)).json.result).toMatchObject({ taskId, status: 'working' })
  await askTask(b, 'tasks/cancel', taskId)

  await until(() => aborted === 1)
  const statuses = await Promise.all(
    [a, b].map(async (node) => (await askTask(node, 'tasks/get', taskId)).json.result.status),
  )
  expect(statuses).toStrictEqual(['cancelled', 'cancelled'])
})

it('a node that closes publishes the end of its tasks, also when it closes Redis first', async () => {
  const waits: TestTool = {
    name: 'waits',
    task: 'required',
    handler: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')))
      }),
  }
  const [a, b] = await openNodes(server, { tools: [waits] })
  const { taskId } = await beginTask(a)

  await a.redis.close()
  await a.app.close()

  expect((await askTask(b, 'tasks/get', taskId)).json.result).toMatchObject({ status: 'cancelled' })
  await until(async () =>
    a.redis.check().then(
      () => false,
      () => true,
    ),
  )
})

it('a feature that one node disables is disabled and unlisted on the other, until it is enabled', async () => {
  const [a, b] = await openNodes(server, { tools: [echo, { name: 'other', handler: () => 'on' }] })
  const namesAtB = async () => (await b.app.mcp.listTools()).map(({ name }) => name)
  a.app.mcp.catalog.disable('echo')
  await until(async () => !(await namesAtB()).includes('echo'))
  const call = async () => (await connectTo(b.app).request('tools/call', { name: 'echo' })).json

  expect((await call()).error).toMatchObject({ code: -32602 })
  b.app.mcp.catalog.enable('echo')
  await until(async () => (await a.app.mcp.listTools()).length === 2)

  expect((await call()).error).toBe(undefined)
})

it('a rate limit counts the requests of a caller on both nodes', async () => {
  const [a, b] = await openNodes(server, { tools: [echo], rateLimit: { calls: 3, windowMs: 60_000 } })

  const replies = []
  for (const { app } of [a, b, a, b, a]) replies.push(await connectTo(app).call('echo'))

  expect(replies.map(({ status }) => status)).toStrictEqual([200, 200, 200, 429, 429])
  expect(Number(replies.at(-1)?.headers['retry-after'])).toBeGreaterThan(30)
})
