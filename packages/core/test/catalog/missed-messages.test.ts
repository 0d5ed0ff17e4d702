// A bus that reports possibly lost messages: task subscriptions then read their tasks again.

import { getMaxListeners } from 'node:events'
import { createServer } from '@toolwright/server'
import { InMemoryTaskStore, InProcessTaskBus, type Task } from '@toolwright/tasks'
import { pino } from 'pino'
import { openRawClient } from '../support/raw-client.js'

const bounds = { maxTasks: 100, maxTasksPerPrincipal: 100, maxTaskBytes: 1000 }

/** A store whose answers the test releases. */
class SlowStore extends InMemoryTaskStore {
  readonly held: (() => void)[] = []
  holds = false

  override async get(taskId: string): Promise<Task | undefined> {
    const task = await super.get(taskId)
    if (this.holds) await new Promise<void>((resolve) => this.held.push(resolve))
    return task
  }
}

const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

function newTask(taskId: string): Task {
  const now = Date.now()
  return { taskId, owner: null, status: 'working', createdAt: now, lastUpdatedAt: now, ttlMs: null }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('a task subscription reports the task status read after the last gap, even if an older read finishes later', async () => {
  const store = new SlowStore(bounds)
  const bus = new InProcessTaskBus()
  const server = await createServer({ name: 'test', version: '1', controllers: [], tasks: { store, bus } })
  server.catalog.addTool({ name: 'slow', task: 'required', handler: () => '' })
  await store.create(newTask('one'))
  await using client = openRawClient(server)
  void client.modern('subscriptions/listen', { notifications: { taskIds: ['one'] } }, capabilities)
  expect((await client.next()).method).toBe('notifications/subscriptions/acknowledged')
  expect((await client.next()).params).toMatchObject({ taskId: 'one', status: 'working' })

  store.holds = true
  bus.gap()
  await turn()
  await store.update('one', (task) => ({ ...task, status: 'cancelled' }))
  bus.gap()
  await turn()
  expect(store.held).toHaveLength(2)
  for (const answer of store.held) answer()

  expect((await client.next()).params).toMatchObject({ taskId: 'one', status: 'cancelled' })
  await server.close()
})

it('an outage of the task store causes no warning for a client that watches many tasks', async () => {
  const store = new SlowStore(bounds)
  const bus = new InProcessTaskBus()
  const logger = pino({ enabled: false })
  const server = await createServer({ name: 'test', version: '1', controllers: [], tasks: { store, bus }, logger })
  server.catalog.addTool({ name: 'slow', task: 'required', handler: () => '' })
  const taskIds = Array.from({ length: 20 }, (_, index) => `task ${index}`)
  await Promise.all(taskIds.map((taskId) => store.create(newTask(taskId))))
  await using client = openRawClient(server)
  void client.modern('subscriptions/listen', { notifications: { taskIds } }, capabilities)
  await client.next()
  for (const _ of taskIds) await client.next()

  const listen = jest.spyOn(AbortSignal.prototype, 'addEventListener')
  jest.spyOn(store, 'get').mockRejectedValue(new Error('the store is down'))
  bus.gap()
  await turn()
  await server.close()

  // Node 20 warns of a leak on stderr when a signal has more listeners than its limit.
  const listeners = new Map<AbortSignal, number>()
  for (const signal of listen.mock.contexts) {
    if (signal instanceof AbortSignal) listeners.set(signal, (listeners.get(signal) ?? 0) + 1)
  }
  const crowded = [...listeners].filter(([, count]) => count >= taskIds.length)
  expect(crowded.map(([signal]) => limitOf(signal))).toEqual([0])
})

/** Node cannot report an unlimited number: it throws. */
function limitOf(signal: AbortSignal): number {
  try {
    return getMaxListeners(signal)
  } catch {
    return 0
  }
}
