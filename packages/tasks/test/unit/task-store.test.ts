import { InMemoryTaskStore, type Task, TaskStoreFull } from '@toolwright/tasks'

const roomy = { maxTasks: 10, maxTasksPerPrincipal: 10, maxTaskBytes: 1000 }

function task(taskId: string, more: Partial<Task> = {}): Task {
  return { taskId, owner: null, status: 'working', createdAt: 0, lastUpdatedAt: 0, ttlMs: 100, ...more }
}

function openStore(limits = {}) {
  const clock = { now: 0 }
  return { clock, store: new InMemoryTaskStore({ ...roomy, ...limits }, () => clock.now) }
}

const completed = (bytes: number) => (before: Task) =>
  ({ ...before, status: 'completed', result: 'x'.repeat(bytes) }) as const

describe('InMemoryTaskStore', () => {
  it('stores a task for its time to live only', async () => {
    const { clock, store } = openStore()
    await store.create(task('a'))
    clock.now = 99
    expect(await store.get('a')).toEqual(task('a'))
    clock.now = 100
    expect(await store.get('a')).toBeUndefined()
    expect(await store.update('a', completed(1))).toBeUndefined()
    expect(store.size).toBe(0)
  })

  it('stores a task without a time to live forever', async () => {
    const { clock, store } = openStore()
    await store.create(task('a', { ttlMs: null }))
    clock.now = Number.MAX_SAFE_INTEGER
    expect(await store.get('a')).toEqual(task('a', { ttlMs: null }))
  })

  it('rejects new tasks when it is full, until old ones have expired', async () => {
    const { clock, store } = openStore({ maxTasks: 2 })
    const outcomes = [await store.create(task('a')), await store.create(task('b')), await store.create(task('c'))]
    expect(outcomes).toEqual([true, true, false])
    expect(await store.get('a')).toBeDefined()
    clock.now = 100
    expect(await store.create(task('c', { createdAt: 100 }))).toBe(true)
    expect(store.size).toBe(1)
  })

  it('does not count expired tasks, also without any access', async () => {
    const { clock, store } = openStore()
    await store.create(task('a'))
    await store.update('a', completed(600))
    expect([store.size, store.bytes]).toEqual([1, 600])
    clock.now = 100
    expect([store.size, store.bytes]).toEqual([0, 0])
  })

  it('counts the tasks of each principal', async () => {
    const { clock, store } = openStore({ maxTasksPerPrincipal: 1 })
    expect(await store.create(task('a', { owner: 'ada' }))).toBe(true)
    expect(await store.create(task('b', { owner: 'ada' }))).toBe(false)
    expect(await store.create(task('c', { owner: 'bob' }))).toBe(true)
    expect([await store.create(task('d')), await store.create(task('e'))]).toEqual([true, true])
    clock.now = 100
    expect(await store.create(task('f', { owner: 'ada', createdAt: 100 }))).toBe(true)
  })

  it('limits the bytes of results and answers, and frees them again', async () => {
    const { clock, store } = openStore()
    await store.create(task('a'))
    await store.create(task('b'))
    await store.update('a', completed(600))
    await expect(store.update('b', completed(401))).rejects.toThrow(TaskStoreFull)
    const answered = store.update('b', (before) => ({ ...before, answers: { key: 'x'.repeat(500) } }))
    await expect(answered).rejects.toThrow('All stored tasks together must have at most 1000 bytes')
    expect(await store.get('b')).toEqual(task('b'))
    clock.now = 100
    await store.create(task('c', { createdAt: 100 }))
    expect(await store.update('c', completed(1000))).toMatchObject({ status: 'completed' })
  })

  it('frees the bytes of expired tasks without a new task', async () => {
    const { clock, store } = openStore()
    await store.create(task('a'))
    await store.update('a', completed(1000))
    clock.now = 50
    await store.create(task('b', { createdAt: 50 }))
    clock.now = 100
    expect(await store.update('b', completed(1000))).toMatchObject({ status: 'completed' })
    expect(store.size).toBe(1)
  })

  it('does not change a task that has ended', async () => {
    const { store } = openStore()
    await store.create(task('a'))
    await store.update('a', completed(1))
    expect(await store.update('a', (before) => ({ ...before, status: 'working' }))).toBeUndefined()
    expect(await store.get('a')).toMatchObject({ status: 'completed', result: 'x' })
  })
})
