// The contract of every DPoP proof store, tested in memory and in Redis.
import { setTimeout as delay } from 'node:timers/promises'
import type { ProofStore } from '@toolwright/core'
import { InMemoryProofStore } from 'toolwright'
import { until } from '../../../test/support/until.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests()

const stores: readonly (readonly [string, () => Promise<ProofStore>])[] = [
  ['in memory', async () => new InMemoryProofStore()],
  ['in Redis', async () => (await server.connect()).proofStore],
]

describe.each(stores)('a proof store %s', (_where, openStore) => {
  it('accepts each proof once, also when it is used concurrently', async () => {
    const store = await openStore()

    const uses = await Promise.all(Array.from({ length: 20 }, async () => store.use('a', 60_000, 100)))

    expect(uses.toSorted()).toStrictEqual(['first', ...Array.from({ length: 19 }, () => 'used')])
    expect(await store.use('b', 60_000, 100)).toBe('first')
  })

  it('stores each proof for its own lifetime only', async () => {
    const store = await openStore()
    await store.use('long', 60_000, 100)
    await store.use('short', 700.5, 100)

    await until(async () => (await store.use('short', 60_000, 100)) === 'first')

    expect(await store.use('long', 60_000, 100)).toBe('used')
  })

  it('drops no proof before its expiry, and accepts new ones afterwards', async () => {
    const store = await openStore()
    await store.use('a', 700, 2)
    await store.use('b', 60_000, 2)

    expect(await store.use('c', 60_000, 2)).toBe('full')

    expect(await store.use('b', 60_000, 2)).toBe('used')
    await until(async () => (await store.use('c', 60_000, 2)) === 'first')
    expect(await store.use('d', 60_000, 2)).toBe('full')
    expect(await store.use('d', 60_000, Infinity)).toBe('first')
  })
})

it('a proof used on one node is rejected by the others, and expires in Redis', async () => {
  const prefix = newPrefix()
  const [here, there] = [await server.connect({ prefix }), await server.connect({ prefix })]

  expect([await here.proofStore.use('a', 700, 10), await there.proofStore.use('a', 700, 10)]).toStrictEqual([
    'first',
    'used',
  ])

  await delay(750)
  expect(await there.proofStore.use('a', 700, 10)).toBe('first')
})
