// A node whose connections to Redis break misses messages meanwhile, and synchronizes afterwards.
import type { Change } from '@toolwright/core'
import { Type } from 'toolwright'
import {
  closeApps,
  connectTo,
  headersOf,
  joinSession,
  metaKeys,
  modernMessage,
  type TestTool,
} from '../../../test/support/client/index.js'
import { CuttingProxy } from '../../../test/support/cutting-proxy.js'
import { delay } from '../../../test/support/delay.js'
import { until } from '../../../test/support/until.js'

import { askTask, type Node, type NodeOptions, openNode, openSession } from './support/nodes.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

/** A proxy between one node and Redis. The other nodes connect directly. */
let way: CuttingProxy
let cutUrl: string

const server = RedisServer.forTests(async () => {
  way.comeBack()
  await closeApps()
})
beforeAll(async () => {
  way = await CuttingProxy.open(server.proxy.port)
  const url = new URL(server.url)
  url.port = String(way.port)
  cutUrl = url.href
})
afterAll(() => way.close())

const note = { uri: 'notes://one', name: 'one', handler: () => 'one' }

async function openNodes(options: NodeOptions = {}): Promise<[Node, Node]> {
  const prefix = newPrefix()
  return [await openNode(server, prefix, options, cutUrl), await openNode(server, prefix, options)]
}

const isReady = ({ redis }: Node): Promise<boolean> =>
  redis.check().then(
    () => true,
    () => false,
  )

/** Breaks the connections of a node, and restores them after other nodes have published. */
async function during(cut: Node, tell: () => Promise<void>): Promise<void> {
  way.goAway()
  await until(async () => !(await isReady(cut)))
  await tell()
  way.comeBack()
}

const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: {} }
const _meta = { [metaKeys.capabilities]: capabilities }

async function begin({ app }: Node, name: string): Promise<string> {
  return (await connectTo(app).request('tools/call', { name, _meta })).json.result.taskId
}

const statusOf = async (node: Node, taskId: string): Promise<string> =>
  (await askTask(node, 'tasks/get', taskId)).json.result?.status

const asks: TestTool = {
  name: 'asks',
  task: 'required',
  handler: async (_args, context) => {
    const schema = Type.Object({ ok: Type.Boolean() })
    const { action } = await context.elicit({ key: 'sure', message: 'Sure?', schema })
    return action
  },
}

it('after missed messages, a task gets an answer that another node accepted meanwhile', async () => {
  const [cut, other] = await openNodes({ tools: [asks] })
  const taskId = await begin(cut, 'asks')
  await until(async () => (await statusOf(other, taskId)) === 'input_required')

  await during(cut, async () => {
    const inputResponses = { sure: { action: 'accept', content: { ok: true } } }
    const answer = modernMessage('tasks/update', { taskId, inputResponses, _meta })
    expect((await connectTo(other.app).send(answer, { 'mcp-name': taskId })).status).toBe(200)
  })

  await until(async () => (await statusOf(other, taskId)) === 'completed')
  expect((await askTask(other, 'tasks/get', taskId)).json.result.result.content[0].text).toBe('accept')
})

it('after missed messages, a task is aborted if another node cancelled it meanwhile', async () => {
  let aborted = 0
  const waits: TestTool = {
    name: 'waits',
    task: 'required',
    handler: (_args, { signal }) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          aborted++
          resolve()
        })
      }),
  }
  const [cut, other] = await openNodes({ tools: [waits] })
  const taskId = await begin(cut, 'waits')

  await during(cut, async () => void (await askTask(other, 'tasks/cancel', taskId)))

  await until(() => aborted === 1)
  expect(await statusOf(cut, taskId)).toBe('cancelled')
})

async function listenAt(node: Node, notifications: object) {
  const message = modernMessage('subscriptions/listen', { notifications, _meta })
  const reader = await joinSession(node.app, '').stream(message, headersOf(message))
  await reader.message()
  return reader
}

it('after missed messages, a task subscription gets the current status', async () => {
  const [cut, other] = await openNodes({ tools: [asks] })
  const taskId = await begin(other, 'asks')
  await until(async () => (await statusOf(other, taskId)) === 'input_required')
  const reader = await listenAt(cut, { taskIds: [taskId] })
  expect((await reader.message()).params).toMatchObject({ taskId, status: 'input_required' })

  await during(cut, async () => void (await askTask(other, 'tasks/cancel', taskId)))

  expect((await reader.message()).params).toMatchObject({ taskId, status: 'cancelled' })
  reader.cut()
})

it('after missed messages, a subscription is notified that its resources may have changed', async () => {
  const [cut, other] = await openNodes({ resources: [note] })
  const reader = await listenAt(cut, { toolsListChanged: true, resourceSubscriptions: ['notes://one'] })

  await during(cut, async () => other.app.mcp.changes.resourceUpdated('notes://one'))

  const told = [await reader.message(), await reader.message()]
  expect(told.map(({ method, params }) => [method, params.uri])).toStrictEqual([
    ['notifications/tools/list_changed', undefined],
    ['notifications/resources/updated', 'notes://one'],
  ])
  reader.cut()
})

it('after missed messages, a session is notified of the resources that it subscribed to', async () => {
  const [cut, other] = await openNodes({ resources: [note] })
  const client = await openSession(cut)
  await client.request('resources/subscribe', { uri: 'notes://one' })
  let reader = await client.listen()
  // A stream that is being read is cut, and its client reconnects.
  const hear = async () => {
    for (;;) {
      const message = await reader.message().catch(() => null)
      if (message !== null) return message
      await delay(50)
      reader = await client.listen()
    }
  }

  await during(cut, async () => other.app.mcp.changes.resourceUpdated('notes://one'))

  expect(await hear()).toMatchObject({
    method: 'notifications/resources/updated',
    params: { uri: 'notes://one' },
  })
  client.close()
})

/** Changes and gap notices that a node gets over the bus, in order, without what nodes tell each other about hidden features. */
function hearBus({ redis }: Node): readonly (Change | 'gap')[] {
  const heard: (Change | 'gap')[] = []
  server.stopLater(
    redis.stores.changeBus.subscribe(
      (change) => {
        if (change.kind !== 'enabled') heard.push(change)
      },
      () => void heard.push('gap'),
    ),
  )
  return heard
}

it('nodes get a gap notice when the messages of another node were lost', async () => {
  const [cut, other] = await openNodes()
  const heard = hearBus(other)

  await during(cut, () =>
    expect((async () => cut.redis.stores.changeBus.publish({ kind: 'tools' }))()).rejects.toThrow(
      /Socket closed|no connection|did not settle/,
    ),
  )

  await until(() => heard.length > 0)
  expect(heard).toStrictEqual(['gap'])
})

it('nodes get a gap notice when messages were lost on an open connection', async () => {
  const [node, other] = await openNodes()
  const heard = hearBus(other)
  await delay(50)
  const { changeBus } = node.redis.stores
  // A message that exceeds the limit of the connection is rejected before it is sent.
  const reject = (): never => {
    throw new Error('rejected')
  }
  const rejected = { kind: 'prompts', toJSON: reject } as Change

  await expect(changeBus.publish(rejected)).rejects.toThrow('rejected')
  await changeBus.publish({ kind: 'tools' })

  await until(() => heard.length === 2)
  expect(heard).toStrictEqual([{ kind: 'tools' }, 'gap'])
})

it('a subscription begins without a gap notice, unless it begins late', async () => {
  const [cut, other] = await openNodes()
  let gaps = 0
  const listen = ({ redis }: Node): void =>
    server.stopLater(
      redis.stores.changeBus.subscribe(
        () => undefined,
        () => gaps++,
      ),
    )
  listen(other)
  await delay(50)
  expect(gaps).toBe(0)

  await during(cut, async () => listen(cut))

  await until(() => gaps > 0)
  expect(gaps).toBe(1)
})
