// What every store of DPoP proofs promises, kept by the one in memory and by the one in Redis.
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

describe.each(stores)('a store of proofs %s', (_where, openStore) => {
  it('takes each proof once, also when it comes many times at once', async () => {
    const store = await openStore()

    const uses = await Promise.all(Array.from({ length: 20 }, async () => store.use('a', 60_000, 100)))

    expect(uses.toSorted()).toStrictEqual(['first', ...Array.from({ length: 19 }, () => 'used')])
    expect(await store.use('b', 60_000, 100)).toBe('first')
  })

  it('keeps each for its own time, and no longer', async () => {
    const store = await openStore()
    await store.use('long', 60_000, 100)
    await store.use('short', 700.5, 100)

    await until(async () => (await store.use('short', 60_000, 100)) === 'first')

    expect(await store.use('long', 60_000, 100)).toBe('used')
  })

  it('forgets none to make room, and has room again when the time of some is over', async () => {
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

it('what one node has seen is used at the others, and kept no longer in Redis than it is good', async () => {
  const prefix = newPrefix()
  const [here, there] = [await server.connect({ prefix }), await server.connect({ prefix })]

  expect([await here.proofStore.use('a', 700, 10), await there.proofStore.use('a', 700, 10)]).toStrictEqual([
    'first',
    'used',
  ])

  await delay(750)
  expect(await there.proofStore.use('a', 700, 10)).toBe('first')
})
