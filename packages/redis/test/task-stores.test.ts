// The contract of every task store, tested in memory and in Redis.
import { InMemoryTaskStore, type Task, type TaskStore, TaskStoreFull } from '@toolwright/tasks'
import { until } from '../../../test/support/until.js'
import { RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests()

const roomy = { maxTasks: 10, maxTasksPerPrincipal: 10, maxTaskBytes: 1000, maxTaskBytesPerPrincipal: 1000 }

type Bounds = Partial<typeof roomy>

function task(taskId: string, more: Partial<Task> = {}): Task {
  const now = Date.now()
  return { taskId, owner: null, status: 'working', createdAt: now, lastUpdatedAt: now, ttlMs: 60_000, ...more }
}

const completed = (bytes: number) => (before: Task) =>
  ({ ...before, status: 'completed', result: 'é'.repeat(bytes / 2) }) as const

const stores: readonly (readonly [string, (bounds?: Bounds) => Promise<TaskStore>])[] = [
  ['in memory', async (bounds) => new InMemoryTaskStore({ ...roomy, ...bounds })],
  ['in Redis', async (bounds) => (await server.connect({ limits: { ...roomy, ...bounds } })).stores.tasks.store],
]

describe.each(stores)('a task store %s', (_where, openStore) => {
  it('stores a task for its time to live only', async () => {
    const store = await openStore()
    const [short, long, endless] = [task('a', { ttlMs: 700 }), task('b'), task('c', { ttlMs: null })]
    // oxlint-disable-next-line no-await-in-loop
    for (const each of [short, long, endless]) expect(await store.create(each)).toBe(true)
    expect(await store.get('a')).toStrictEqual(short)

    await until(async () => (await store.get('a')) === undefined)

    expect(await store.update('a', completed(2))).toBeUndefined()
    expect([await store.get('b'), await store.get('c')]).toStrictEqual([long, endless])
  })

  it('makes each change atomically, with any concurrency', async () => {
    const store = await openStore()
    await store.create(task('a', { statusMessage: '' }))

    await Promise.all(
      Array.from({ length: 60 }, () =>
        store.update('a', (before) => ({ ...before, statusMessage: `${before.statusMessage}x` })),
      ),
    )

    expect((await store.get('a'))?.statusMessage).toBe('x'.repeat(60))
  })

  it('does not change a task that has ended, nor one without changes', async () => {
    const store = await openStore()
    const a = task('a')
    await store.create(a)
    expect(await store.update('a', (before) => before)).toStrictEqual(a)
    await store.update('a', completed(2))

    expect(await store.update('a', (before) => ({ ...before, status: 'working' }))).toBeUndefined()

    expect(await store.get('a')).toMatchObject({ status: 'completed', result: 'é' })
    expect(await store.update('b', completed(2))).toBeUndefined()
  })

  it('rejects new tasks when it is full, until old ones have expired', async () => {
    const store = await openStore({ maxTasks: 2 })
    expect(await store.create(task('a', { ttlMs: 700 }))).toBe(true)
    expect(await store.create(task('b'))).toBe(true)

    expect(await store.create(task('c'))).toBe(false)

    expect(await store.get('c')).toBeUndefined()
    await until(() => store.create(task('c')))
    expect(await store.get('b')).toBeDefined()
  })

  it('counts the tasks of each principal', async () => {
    const store = await openStore({ maxTasksPerPrincipal: 1 })
    expect(await store.create(task('a', { owner: 'ada', ttlMs: 700 }))).toBe(true)
    expect(await store.create(task('b', { owner: 'ada' }))).toBe(false)
    expect(await store.create(task('c', { owner: 'bob' }))).toBe(true)
    expect(await store.create(task('f', { owner: 'eve with a phone', caller: 'eve' }))).toBe(true)
    expect(await store.create(task('g', { owner: 'eve with a desktop', caller: 'eve' }))).toBe(false)
    expect([await store.create(task('d')), await store.create(task('e'))]).toStrictEqual([true, true])

    await until(() => store.create(task('b', { owner: 'ada' })))
  })

  it('limits the bytes of results and answers, and frees them again', async () => {
    const store = await openStore()
    const b = task('b')
    await store.create(task('a', { ttlMs: 1000 }))
    await store.create(b)
    await store.update('a', completed(600))

    await expect(store.update('b', completed(402))).rejects.toThrow(TaskStoreFull)
    const answered = store.update('b', (before) => ({ ...before, answers: { key: 'x'.repeat(500) } }))
    await expect(answered).rejects.toThrow('All stored tasks together must have at most 1000 bytes')
    expect(await store.get('b')).toStrictEqual(b)

    await until(async () => (await store.get('a')) === undefined)
    expect(await store.update('b', completed(1000))).toMatchObject({ status: 'completed' })
  })

  it('limits the bytes of each principal, across clients', async () => {
    const store = await openStore({ maxTaskBytesPerPrincipal: 500 })
    const alice = { caller: 'alice', ttlMs: 700 }
    for (const each of [task('a', { ...alice, owner: '1' }), task('b', { ...alice, owner: '2', ttlMs: 60_000 })]) {
      // oxlint-disable-next-line no-await-in-loop
      await store.create(each)
    }
    await store.create(task('c', { caller: 'bob', owner: 'bob' }))
    await store.create(task('d'))
    await store.update('a', completed(400))

    await expect(store.update('b', completed(200))).rejects.toThrow(
      new TaskStoreFull('The tasks of one principal together must have at most 500 bytes'),
    )

    await store.update('c', completed(200))
    expect(await store.update('d', completed(2))).toMatchObject({ status: 'completed' })
    await until(async () => (await store.get('a')) === undefined)
    expect(await store.update('b', completed(200))).toMatchObject({ status: 'completed' })
  })

  it('counts the current bytes of a task', async () => {
    const store = await openStore()
    for (const id of ['a', 'b']) await store.create(task(id))
    await store.update('a', (before) => ({ ...before, answers: { key: 'x'.repeat(900) } }))
    await store.update('a', (before) => ({ ...before, answers: undefined }))

    expect(await store.update('b', completed(1000))).toMatchObject({ status: 'completed' })
  })
})
