// The contract of every round store, tested in memory and in Redis.
import { randomUUID } from 'node:crypto'
import { InMemoryRoundStore, type RoundRunKey, type RoundStore } from '@toolwright/core'
import { until } from '../../../test/support/until.js'
import { RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests()

const roomy = { maxRounds: 10, maxRoundsPerPrincipal: 10, maxRoundBytes: 1000, maxRoundBytesPerPrincipal: 1000 }

type Bounds = Partial<typeof roomy>

const stores: readonly (readonly [string, (bounds?: Bounds) => Promise<RoundStore>])[] = [
  ['in memory', async (bounds) => new InMemoryRoundStore({ ...roomy, ...bounds })],
  ['in Redis', async (bounds) => (await server.connect({ limits: { ...roomy, ...bounds } })).stores.roundStore],
]

const keyOf = (roundId: string): RoundRunKey => ({ roundId, runId: randomUUID() })

const leaseMs = 60_000
const keptMs = 60_000

const enter = (store: RoundStore, key: RoundRunKey, caller: string | null = null) =>
  store.enter(key, caller, leaseMs, keptMs)

describe.each(stores)('a round store %s', (_where, openStore) => {
  it('lets one run begin, and gives its steps and its response to the next', async () => {
    const store = await openStore()
    const [first, next, last] = [keyOf('a'), keyOf('a'), keyOf('a')]
    expect(await enter(store, first)).toStrictEqual({ status: 'entered', steps: {} })
    expect(await store.storeStep(first, null, 'one', '{"value":1}')).toBe('stored')
    expect(await enter(store, next)).toStrictEqual({ status: 'running' })
    await store.end(first, null, null)

    const steps = { one: '{"value":1}' }
    expect(await enter(store, next)).toStrictEqual({ status: 'entered', steps })
    await store.storeStep(next, null, 'one', '{"value":2}')
    expect(await store.end(next, null, 'response')).toBe(true)

    expect(await enter(store, last)).toStrictEqual({ status: 'answered', response: 'response', steps })
    expect(await enter(store, keyOf('b'))).toStrictEqual({ status: 'entered', steps: {} })
  })

  it('begins one of many concurrent runs', async () => {
    const store = await openStore()
    const entries = await Promise.all(Array.from({ length: 20 }, () => enter(store, keyOf('a'))))
    expect(entries.filter(({ status }) => status === 'entered')).toHaveLength(1)
  })

  it('stores names of steps that are names of members of objects', async () => {
    const store = await openStore()
    const key = keyOf('a')
    await enter(store, key)
    for (const name of ['__proto__', 'constructor', '']) await store.storeStep(key, null, name, 'x')
    await store.end(key, null, null)
    const { steps = {} } = (await enter(store, keyOf('a'))) as { steps?: object }
    expect(Object.keys(steps).toSorted()).toStrictEqual(['', '__proto__', 'constructor'])
  })

  it('limits the number of rounds, in total and per caller', async () => {
    const store = await openStore({ maxRounds: 3, maxRoundsPerPrincipal: 2 })
    const statuses = []
    for (const [id, caller] of [
      ['a', 'ada'],
      ['b', 'ada'],
      ['c', 'ada'],
      ['d', 'bob'],
      ['e', 'bob'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      statuses.push((await enter(store, keyOf(id), caller)).status)
    }
    expect(statuses).toStrictEqual(['entered', 'entered', 'full', 'entered', 'full'])
  })

  it('limits the bytes of steps and responses, in total and per caller', async () => {
    const store = await openStore({ maxRoundBytes: 300, maxRoundBytesPerPrincipal: 200 })
    const [a, b, c] = [keyOf('a'), keyOf('b'), keyOf('c')]
    await enter(store, a, 'ada')
    await enter(store, b, 'bob')
    expect(await store.storeStep(a, 'ada', 'one', 'x'.repeat(150))).toBe('stored')
    expect(await store.storeStep(a, 'ada', 'two', 'x'.repeat(60))).toBe('full')
    expect(await store.end(a, 'ada', 'x'.repeat(60))).toBe(false)
    expect(await store.end(b, 'bob', 'x'.repeat(140))).toBe(true)
    expect((await enter(store, keyOf('a'), 'ada')).status).toBe('running')
    expect((await enter(store, c, 'bob')).status).toMatch(/full|entered/)
  })

  it('forgets a round after its lifetime', async () => {
    const store = await openStore({ maxRounds: 1 })
    const first = keyOf('a')
    await store.enter(first, null, 100, 300)
    await store.end(first, null, 'response')
    await until(async () => (await enter(store, keyOf('b'))).status === 'entered')
    expect((await enter(store, keyOf('a'))).status).toBe('full')
  })
})

it('a round store in Redis ends a run that is not renewed, and rejects its steps', async () => {
  const store = (await server.connect()).stores.roundStore
  const [late, next] = [keyOf('a'), keyOf('a')]
  await store.enter(late, null, 300, keptMs)
  expect(await store.renew(late, 300)).toBe(true)
  await until(async () => (await enter(store, next)).status === 'entered')

  expect(await store.renew(late, leaseMs)).toBe(false)
  expect(await store.storeStep(late, null, 'one', 'x')).toBe('lost')
  await store.end(late, null, 'late')

  expect(await store.end(next, null, 'response')).toBe(true)
  expect(await enter(store, keyOf('a'))).toMatchObject({ status: 'answered', response: 'response' })
})
