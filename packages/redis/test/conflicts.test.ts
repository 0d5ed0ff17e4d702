// Many nodes that change one record at once.
import { LimitError } from '@toolwright/core'
import type { Redis } from '@toolwright/redis'
import { closeApps, type TestTool } from '../../../test/support/client/index.js'
import { createGate } from '../../../test/support/gate.js'
import { sessionRecord } from '../../../test/support/session-record.js'
import { askTask, beginTask, type Node, openNode } from './support/nodes.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests(closeApps)

const count = 40

/** Sequential, because the test is not about the speed of connecting. */
async function connectAll(): Promise<readonly Redis[]> {
  const prefix = newPrefix()
  const nodes: Redis[] = []
  // oxlint-disable-next-line no-await-in-loop
  while (nodes.length < count) nodes.push(await server.connect({ prefix, timeoutMs: 20_000 }))
  return nodes
}

/** Retries, like a client that gets 503. */
async function insist(change: () => unknown): Promise<void> {
  try {
    await change()
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    await insist(change)
  }
}

it('concurrent changes of one task by many nodes are all made, or rejected with a retry', async () => {
  const nodes = await connectAll()
  const [first, ...others] = nodes.map(({ stores }) => stores.tasks.store)
  const now = Date.now()
  await first?.create({
    taskId: 'a',
    owner: null,
    status: 'working',
    statusMessage: '',
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: 60_000,
  })

  await Promise.all(
    [first, ...others].map((store) =>
      insist(() => store?.update('a', (task) => ({ ...task, statusMessage: `${task.statusMessage}x` }))),
    ),
  )

  expect((await first?.get('a'))?.statusMessage).toBe('x'.repeat(count))
}, 60_000)

it('concurrent changes of one session by many nodes are all made, or rejected with a retry', async () => {
  const nodes = await connectAll()
  const stores = nodes.map(({ stores: { sessionStore } }) => sessionStore)
  const record = sessionRecord('a')
  await stores[0]?.create(record, 60_000)

  await Promise.all(
    stores.map((store, index) =>
      insist(() =>
        store.update('a', (session) => ({ ...session, subscribedUris: [...session.subscribedUris, `a://${index}`] })),
      ),
    ),
  )

  expect((await stores[0]?.get('a'))?.subscribedUris).toHaveLength(count)
}, 60_000)

it('a change of a task that others keep changing is rejected with a retry', async () => {
  const gate = createGate()
  const waits: TestTool = { name: 'waits', task: 'required', handler: () => gate.opened.then(() => 'done') }
  const prefix = newPrefix()
  const node: Node = await openNode(server, prefix, { tools: [waits] })
  const { taskId } = await beginTask(node)
  // Invalid UTF-8 never equals its decoded and encoded form.
  const text = JSON.stringify({ taskId, owner: null, status: 'working', createdAt: 0, lastUpdatedAt: 0, ttlMs: null })
  const changing = text.replace('}', ',"statusMessage":"!"}').replaceAll('"', '\\"').replace('!', String.raw`\xff`)
  await server.command(`SET ${prefix}{${taskId}}:task "${changing}"`)

  const reply = await askTask(node, 'tasks/cancel', taskId)

  expect([reply.status, reply.headers['retry-after']]).toStrictEqual([503, '1'])
  expect(reply.json.error.message).toBe('Too many nodes change the same item at once. Try again in 1 s')
  gate.open()
}, 30_000)
