// Symptoms that users saw after a node was killed, stopped or cut off: tasks that stayed `working`, and steps that ran again.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TaskStore } from '@toolwright/tasks'
import { closeApps, connectTo, modernMessage } from '../../../../test/support/client/index.js'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { KilledNode } from '../support/killed-node.js'
import { type Node, openNode } from '../support/nodes.js'
import { connectToPort, type PortClient } from '../support/port-client.js'
import { newPrefix, RedisServer } from '../support/redis-server.js'
import { addShop } from '../support/shop.mjs'

const server = RedisServer.forTests(closeApps)

/** Default: 60,000. */
const nodeTimeoutMs = 1500

/** Options of all nodes of one group. */
function group() {
  return { url: server.url, prefix: newPrefix(), key: randomBytes(32).toString('hex'), nodeTimeoutMs }
}

/** A node in this process. */
async function openHere(
  { prefix, key, nodeTimeoutMs: timeoutMs }: ReturnType<typeof group>,
  effects: string[] = [],
): Promise<Node & { client: PortClient }> {
  const node = await openNode(server, prefix, {
    name: 'shop',
    requestState: { keys: [key] },
    limits: { nodeTimeoutMs: timeoutMs },
  })
  addShop(node.app.mcp.catalog, (effect: string) => effects.push(effect), false)
  return { ...node, client: connectToPort(node.port) }
}

const yes = { sure: { action: 'accept', content: { ok: true } } }

const pay = (client: PortClient, more: object = {}) => client.request('tools/call', { name: 'pay', ...more })

async function askFirst(client: PortClient) {
  const { requestState } = await pay(client)
  return { requestState, inputResponses: yes }
}

describe('a repeated round of an interactive call', () => {
  it('gets the response of another node, at once or later, and its steps run once', async () => {
    const options = group()
    const effects: string[] = []
    const [a, b] = [await openHere(options, effects), await openHere(options, effects)]
    const second = await askFirst(a.client)

    const results = await Promise.all([a, b, a, b].map(({ client }) => pay(client, second)))
    results.push(await pay(b.client, second))

    expect(results.map(({ content }) => content[0].text)).toStrictEqual(Array.from({ length: 5 }, () => 'paid'))
    expect(effects).toStrictEqual(['order', 'charge'])
  })

  it('does not run the steps that a killed node had recorded', async () => {
    const options = group()
    const effects: string[] = []
    await using killed = await KilledNode.start(options)
    const here = await openHere(options, effects)
    const second = await askFirst(here.client)
    const broken = pay(killed.client, second).catch(() => 'broken')
    await until(() => killed.effects.includes('charge'))
    const repeated = pay(here.client, second)
    await killed.kill()

    expect(await broken).toBe('broken')
    expect((await repeated).content[0].text).toBe('paid')
    expect([killed.effects, effects]).toStrictEqual([['order', 'charge'], ['charge']])
  })
})

const working = { status: 'working' }
const lost = {
  status: 'failed',
  statusMessage: expect.any(String),
  error: { code: -32603, data: { reason: 'node_lost' } },
}

async function begin(client: PortClient, name: string, status: string): Promise<{ taskId: string }> {
  const { taskId } = await client.request('tools/call', { name })
  await until(async () => (await client.request('tasks/get', { taskId })).status === status)
  return { taskId }
}

describe('a task of a killed node', () => {
  it.each([
    ['work', 'working'],
    ['ask', 'input_required'],
  ])('fails with a reason, and its owner is notified (%s)', async (name, status) => {
    const options = group()
    await using killed = await KilledNode.start(options)
    const here = await openHere(options)
    const task = await begin(killed.client, name, status)
    const _meta = {
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    }
    const stream = await connectTo(here.app).stream(
      modernMessage('subscriptions/listen', { notifications: { taskIds: [task.taskId] }, _meta }),
    )
    expect(await here.client.request('tasks/get', task)).toMatchObject({ status })

    await killed.kill()

    // No request reads the task: the node notifies the owner by itself.
    let last: { params?: { status?: string } } = {}
    while (last.params?.status !== 'failed') last = await stream.message()
    expect(last.params).toMatchObject(lost)
    stream.cut()
    expect(await here.client.request('tasks/get', task)).toMatchObject(lost)
    expect(await here.client.request('tasks/cancel', task)).not.toHaveProperty('error')
    expect(here.app.mcp.metrics().lostTasks).toBe(1)
  })

  it('fails when its owner asks for it', async () => {
    const options = group()
    await using killed = await KilledNode.start(options)
    const here = await openHere(options)
    const task = await begin(killed.client, 'work', 'working')
    await killed.kill()

    await until(async () => (await here.client.request('tasks/get', task)).status === 'failed')

    expect(await here.client.request('tasks/get', task)).toMatchObject(lost)
  })
})

describe('a task of a slow node', () => {
  it('continues after an outage of Redis that lasts longer than the timeout of nodes', async () => {
    // A third of it is longer than the time between the reconnections of two nodes, which is at most one second.
    const timeoutMs = 4000
    const options = { ...group(), nodeTimeoutMs: timeoutMs }
    const [a, b] = [await openHere(options), await openHere(options)]
    const task = await begin(a.client, 'work', 'working')
    await sleep(timeoutMs)

    server.proxy.goAway()
    await sleep(1.5 * timeoutMs)
    server.proxy.comeBack()

    const seen = new Set<string>()
    const end = performance.now() + 2 * timeoutMs
    while (performance.now() < end) {
      const { status } = await b.client.request('tasks/get', task)
      if (status !== undefined) seen.add(status)
      await sleep(20)
    }
    expect([...seen]).toStrictEqual(['working'])
  })

  it('continues after a pause that is shorter than the timeout', async () => {
    const options = { ...group(), nodeTimeoutMs: 6000 }
    await using slow = await KilledNode.start(options)
    const here = await openHere(options)
    const task = await begin(slow.client, 'work', 'working')
    await sleep(2500)

    slow.send('SIGSTOP')
    await sleep(2500)
    expect(await here.client.request('tasks/get', task)).toMatchObject(working)
    slow.send('SIGCONT')

    await here.client.request('tasks/cancel', task)
    await until(() => slow.effects.includes('aborted'))
  })

  it('stays failed after a longer pause, and its handler is cancelled', async () => {
    const options = group()
    await using slow = await KilledNode.start(options)
    const here = await openHere(options)
    const task = await begin(slow.client, 'work', 'working')
    slow.send('SIGSTOP')
    await until(async () => (await here.client.request('tasks/get', task)).status === 'failed')

    slow.send('SIGCONT')

    await until(() => slow.effects.includes('aborted'))
    const gate = createGate()
    setTimeout(gate.open, 100)
    await gate.opened
    expect(await here.client.request('tasks/get', task)).toMatchObject(lost)
  })
})

it('a task store without methods for nodes works as before', async () => {
  const { prefix } = group()
  const redis = await server.connect({ prefix })
  const { store, bus } = redis.stores.tasks
  const plain: TaskStore = {
    prepare: (owner) => store.prepare?.(owner),
    create: (task) => store.create(task),
    get: (taskId) => store.get(taskId),
    update: (taskId, change) => store.update(taskId, change),
  }
  const node = await openNode(server, prefix, { name: 'shop', tasks: { store: plain, bus }, limits: { nodeTimeoutMs } })
  addShop(node.app.mcp.catalog, () => undefined, false)
  const { taskId } = await begin(connectToPort(node.port), 'work', 'working')
  expect(await store.get(taskId)).not.toHaveProperty('node')
})
