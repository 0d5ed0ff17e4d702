// Everything in Redis expires, including counters.
import { type Task, TaskStoreFull } from '@toolwright/tasks'
import { sessionRecord } from '../../../test/support/session-record.js'
import { until } from '../../../test/support/until.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests()

/** Keys without an expiry. */
async function endlessKeys(prefix: string): Promise<string[]> {
  const answer = await server.command(`KEYS ${prefix}*`)
  const keys = answer.split('\r\n').filter((line) => line.startsWith(prefix))
  const times = await Promise.all(keys.map((key) => server.command(`PTTL ${key}`)))
  return keys.filter((_key, index) => times[index]?.startsWith(':-1'))
}

function task(taskId: string, ttlMs: number): Task {
  const now = Date.now()
  return { taskId, owner: null, status: 'working', createdAt: now, lastUpdatedAt: now, ttlMs }
}

it('counters of events expire, also when a session without events ends', async () => {
  const prefix = newPrefix()
  const { sessionStore, eventStore } = (await server.connect({ prefix })).stores
  await sessionStore.create(sessionRecord('a'), 60_000)
  await sessionStore.delete('a')
  await eventStore.delete('a')

  expect(await endlessKeys(prefix)).toStrictEqual([])
})

it('counters of task bytes expire, also without tasks', async () => {
  const prefix = newPrefix()
  const limits = { maxTaskBytes: 10, maxTaskBytesPerPrincipal: 10 }
  const { store } = (await server.connect({ prefix, limits })).stores.tasks
  await store.create(task('short', 50))
  await store.create(task('long', 60_000))
  await until(async () => (await store.get('short')) === undefined)

  const change = store.update('long', (before) => ({ ...before, status: 'completed', result: 'more than ten' }))
  await expect(change).rejects.toBeInstanceOf(TaskStoreFull)

  expect(await endlessKeys(prefix)).toStrictEqual([])
})
