// A bus that says that messages may have been missed: who listens for a task reads it again.
import { createServer, InMemoryTaskStore, InProcessTaskBus, type Task } from '@toolwright/core'
import { openRawClient } from '../support/raw-client.js'

const bounds = { maxTasks: 10, maxTasksPerPrincipal: 10, maxTaskBytes: 1000 }

/** Its answers come when the test wants them. */
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

it('tells how a task stands after the last gap, also when an older read is answered after it', async () => {
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
