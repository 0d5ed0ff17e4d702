// The contract of every bus and every rate limiter, tested in memory and in Redis.
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Change,
  type ChangeBus,
  InMemoryRateLimiter,
  InProcessChangeBus,
  type RateLimiter,
} from '@toolwright/core'
import { until } from '../../../test/support/until.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests()

const change: Change = { kind: 'resource', uri: 'notes://one' }

const buses: readonly (readonly [string, () => Promise<ChangeBus>])[] = [
  ['in this process', async () => new InProcessChangeBus()],
  ['over Redis', async () => (await server.connect()).stores.changeBus],
]

describe.each(buses)('a bus %s', (_where, openBus) => {
  it('delivers each message once to all listeners, including those of the sending node', async () => {
    const bus = await openBus()
    const heard: Change[][] = [[], []]
    const stops = heard.map((list) => bus.subscribe((message) => void list.push(message)))
    await delay(20)

    await bus.publish(change)
    await delay(20)
    expect(heard).toStrictEqual([[change], [change]])
    stops[0]?.()
    stops[0]?.()
    await bus.publish(change)

    await delay(20)
    expect(heard).toStrictEqual([[change], [change, change]])
    stops[1]?.()
  })

  it('calls all listeners, although one throws', async () => {
    const bus = await openBus()
    const heard: Change[] = []
    const deaf = (): never => {
      throw new Error('deaf')
    }
    for (const listener of [deaf, (message: Change) => void heard.push(message)]) {
      server.stopLater(bus.subscribe(listener))
    }

    await expect((async () => bus.publish(change))()).rejects.toThrow('Some listeners of a bus failed')

    expect(heard).toStrictEqual([change])
  })
})

it('buses over Redis exchange messages', async () => {
  const prefix = newPrefix()
  const [here, there] = [await server.connect({ prefix }), await server.connect({ prefix })]
  const heard: Change[] = []
  server.stopLater(there.stores.changeBus.subscribe((message) => void heard.push(message)))

  await until(async () => {
    await here.stores.changeBus.publish(change)
    return heard.length > 0
  })

  expect(heard[0]).toStrictEqual(change)
})

it('during an outage, publish calls the listeners of the same node, and rejects', async () => {
  const { changeBus } = (await server.connect()).stores
  const heard: Change[] = []
  server.stopLater(changeBus.subscribe((message) => void heard.push(message)))
  server.proxy.hang()

  await expect(changeBus.publish(change)).rejects.toThrow('it did not settle within 1000 ms')

  expect(heard).toStrictEqual([change])
})

const limiters: readonly (readonly [string, () => Promise<RateLimiter>])[] = [
  ['in memory', async () => new InMemoryRateLimiter()],
  ['in Redis', async () => (await server.connect()).stores.rateLimiter],
]

describe.each(limiters)('a rate limiter %s', (_where, openLimiter) => {
  it('counts each caller and each limit separately, and returns the time to wait', async () => {
    const limiter = await openLimiter()
    const limit = { calls: 2, windowMs: 60_000 }
    const take = async (key: string, calls = 2): Promise<number> => limiter.take(key, { ...limit, calls })

    expect([await take('ada'), await take('ada'), await take('bob'), await take('ada', 3)]).toStrictEqual([0, 0, 0, 0])
    const wait = await take('ada')

    expect(wait).toBeGreaterThan(30_000)
    expect(wait).toBeLessThanOrEqual(60_000)
  })

  it('supports windows of less than a second, and admits a caller after its window', async () => {
    const limiter = await openLimiter()
    const take = async (): Promise<number> => limiter.take('ada', { calls: 1, windowMs: 700 })
    expect(await take()).toBe(0)
    expect(await take()).toBeGreaterThan(0)

    await until(async () => (await take()) === 0)

    expect(await take()).toBeGreaterThan(0)
  })
})

it('nodes share counters in Redis', async () => {
  const prefix = newPrefix()
  const [here, there] = [await server.connect({ prefix }), await server.connect({ prefix })]
  const limit = { calls: 2, windowMs: 60_000 }

  const waits = [here, there, here, there].map(async ({ stores }) => stores.rateLimiter.take('ada', limit))

  expect((await Promise.all(waits)).filter((wait) => wait === 0)).toHaveLength(2)
})
