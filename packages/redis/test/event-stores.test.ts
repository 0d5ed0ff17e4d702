// The contract of every event store, tested in memory and in Redis.

import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { defaultLimits } from '@toolwright/core'
import { type EventStore, InMemoryEventStore, type StreamKey, type StreamPage } from '@toolwright/sessions'
import { sessionRecord } from '../../../test/support/session-record.js'
import { until } from '../../../test/support/until.js'
import { seeded } from '../../fastify/test/support/random.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests()

const { maxStoredEvents, maxStoredBytes, maxTotalStoredBytes, storedEventMs } = defaultLimits
const roomy = { maxStoredEvents, maxStoredBytes, maxTotalStoredBytes, storedEventMs }

type Bounds = Partial<typeof roomy>

async function openRedisStore(bounds: Bounds = {}, prefix = newPrefix()): Promise<EventStore> {
  return (await server.connect({ prefix, limits: bounds })).stores.eventStore
}

const one: StreamKey = { sessionId: 'one', streamId: 'a' }
const sameIdElsewhere: StreamKey = { sessionId: 'two', streamId: 'a' }
const besides: StreamKey = { sessionId: 'one', streamId: 'b' }

async function append(store: EventStore, key: StreamKey, ...messages: (string | null)[]): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop
  for (const message of messages) await store.append(key, message, false)
}

/** A page without the additional members of a store. */
async function pageOf(store: EventStore, key: StreamKey, after: number, max: number): Promise<StreamPage | undefined> {
  const page = await store.read(key, after, max)
  return page && { ...page, events: page.events.map(({ sequence, message }) => ({ sequence, message })) }
}

/** The stored events of a stream, from its beginning. */
async function left(store: EventStore, key: StreamKey): Promise<(string | null)[] | undefined> {
  return (await store.read(key, 0, 100))?.events.map(({ message }) => message)
}

function leftOf(store: EventStore, sessionId: string): Promise<(string | null)[] | undefined> {
  return left(store, { sessionId, streamId: 'a' })
}

const stores: readonly (readonly [string, (bounds?: Bounds) => Promise<EventStore>])[] = [
  ['in memory', async (bounds) => new InMemoryEventStore({ ...roomy, ...bounds })],
  ['in Redis', (bounds) => openRedisStore(bounds)],
]

describe.each(stores)('an event store %s', (_where, openStore) => {
  it('returns appended events in order, page by page, and whether more can come', async () => {
    const store = await openStore()
    await append(store, one, '1', '', '3 € \u0000')
    await store.append(one, null, true)

    const all = [1, 2, 3, 4].map((sequence) => ({ sequence, message: ['1', '', '3 € \u0000', null][sequence - 1] }))
    expect(await pageOf(store, one, 0, 2)).toStrictEqual({ events: all.slice(0, 2), isWhole: true, isEnd: false })
    expect(await pageOf(store, one, 2, 2)).toStrictEqual({ events: all.slice(2), isWhole: true, isEnd: true })
    expect(await pageOf(store, one, 4, 2)).toStrictEqual({ events: [], isWhole: true, isEnd: true })
  })

  it('returns undefined for unknown streams, and for positions that were not reached', async () => {
    const store = await openStore()
    await append(store, one, '1')

    expect(await pageOf(store, one, 1, 9)).toStrictEqual({ events: [], isWhole: true, isEnd: false })
    expect(await pageOf(store, one, 2, 9)).toBeUndefined()
    expect(await pageOf(store, besides, 0, 9)).toBeUndefined()
    expect(await pageOf(store, sameIdElsewhere, 0, 9)).toBeUndefined()
  })

  it('ignores events after the last one', async () => {
    const store = await openStore()
    await store.append(one, 'last', true)

    await append(store, one, 'late')

    expect(await pageOf(store, one, 0, 9)).toStrictEqual({
      events: [{ sequence: 1, message: 'last' }],
      isWhole: true,
      isEnd: true,
    })
  })

  it('separates sessions and streams', async () => {
    const store = await openStore()
    await append(store, one, 'mine')
    await append(store, sameIdElsewhere, 'yours')
    await append(store, besides, 'besides')

    const texts = await Promise.all([one, sameIdElsewhere, besides].map((key) => left(store, key)))
    expect(texts).toStrictEqual([['mine'], ['yours'], ['besides']])
    await store.delete('one')

    expect(await Promise.all([one, sameIdElsewhere, besides].map((key) => left(store, key)))).toStrictEqual([
      undefined,
      ['yours'],
      undefined,
    ])
  })

  it('notifies the watchers of a stream until they stop watching', async () => {
    const store = await openStore()
    const heard = { one: 0, besides: 0 }
    const stop = store.watch(one, () => heard.one++)
    const stopBesides = store.watch(besides, () => heard.besides++)
    await delay(50)
    Object.assign(heard, { one: 0, besides: 0 })

    await append(store, one, '1')

    await until(() => heard.one > 0)
    stop()
    heard.one = 0
    await append(store, one, '2')
    await delay(20)
    expect(heard).toStrictEqual({ one: 0, besides: 0 })
    stopBesides()
  })

  it('drops the oldest events of a session beyond the maximum number, across its streams', async () => {
    const store = await openStore({ maxStoredEvents: 3 })
    await append(store, one, '1')
    await append(store, sameIdElsewhere, 'yours')
    await append(store, besides, '1', '2')
    await append(store, one, '2', '3')

    expect(await pageOf(store, one, 0, 9)).toStrictEqual({
      events: [
        { sequence: 2, message: '2' },
        { sequence: 3, message: '3' },
      ],
      isWhole: false,
      isEnd: false,
    })
    expect(await pageOf(store, one, 1, 9)).toMatchObject({ isWhole: true })
    expect(await pageOf(store, besides, 0, 9)).toMatchObject({ events: [{ sequence: 2 }], isWhole: false })
    expect(await left(store, sameIdElsewhere)).toStrictEqual(['yours'])
  })

  it('drops the oldest events beyond the maximum bytes, but never the newest event', async () => {
    const store = await openStore({ maxStoredBytes: 1000 })
    await append(store, one, 'x'.repeat(300), 'y'.repeat(300), 'z'.repeat(300))
    expect((await left(store, one))?.map((text) => text?.[0])).toStrictEqual(['y', 'z'])

    await append(store, one, 'w'.repeat(5000))

    expect(await pageOf(store, one, 0, 9)).toMatchObject({ events: [{ sequence: 4 }], isWhole: false })
  })

  it('keeps the position of an open stream without events, and deletes the position of an ended stream', async () => {
    const store = await openStore({ maxStoredEvents: 1 })
    await append(store, one, '1', '2')
    await store.append(besides, 'end', true)

    expect(await pageOf(store, one, 2, 9)).toStrictEqual({ events: [], isWhole: true, isEnd: false })
    expect(await pageOf(store, one, 1, 9)).toStrictEqual({ events: [], isWhole: false, isEnd: false })
    await append(store, one, '3')

    expect(await pageOf(store, one, 2, 9)).toMatchObject({ events: [{ sequence: 3 }], isWhole: true })
    expect(await pageOf(store, besides, 0, 9)).toBeUndefined()
  })

  it('limits the bytes of all sessions together', async () => {
    const store = await openStore({ maxTotalStoredBytes: 1000 })
    await append(store, one, 'x'.repeat(400))
    await append(store, sameIdElsewhere, 'y'.repeat(400))
    expect([await left(store, one), await left(store, sameIdElsewhere)]).toMatchObject(
      [[/./], [/./]].map(() => [expect.any(String)]),
    )

    await append(store, sameIdElsewhere, 'z')

    expect(await pageOf(store, one, 0, 9)).toStrictEqual({ events: [], isWhole: false, isEnd: false })
    expect((await left(store, sameIdElsewhere))?.length).toBe(2)
    // Dropped events no longer count.
    await append(store, one, 'x'.repeat(200))
    expect([(await left(store, one))?.length, (await left(store, sameIdElsewhere))?.length]).toStrictEqual([1, 2])
  })

  it('does not count events that a session has dropped', async () => {
    const store = await openStore({ maxStoredEvents: 2, maxTotalStoredBytes: 1000 })
    await append(store, sameIdElsewhere, 'y')

    await append(store, one, ...Array.from({ length: 20 }, (_, index) => String(index)))

    expect([await left(store, one), await left(store, sameIdElsewhere)]).toStrictEqual([['18', '19'], ['y']])
  })

  it('at the total limit, drops only the oldest events of a single session', async () => {
    const store = await openStore({ maxTotalStoredBytes: 450 })

    await append(store, one, '1', '2', '3', '4', '5')

    expect(await left(store, one)).toStrictEqual(['2', '3', '4', '5'])
  })

  it('beyond the total bytes, drops the oldest events of the caller with the most bytes', async () => {
    const store = await openStore({ maxTotalStoredBytes: 2000 })
    await store.append({ sessionId: 'little', streamId: 'a' }, 'mine', false, 'ada')
    const text = 'x'.repeat(300)

    // In the order of their names, by which Redis sorts sessions of the same millisecond.
    for (let number = 10; number < 60; number++) {
      await store.append({ sessionId: `flood ${number}`, streamId: 'a' }, text, false, 'flood')
    }
    await store.append({ sessionId: 'new', streamId: 'a' }, text, false, 'bob')

    const kept = await Promise.all(
      ['little', 'new', 'flood 59', 'flood 10'].map((sessionId) => leftOf(store, sessionId)),
    )
    expect(kept).toStrictEqual([['mine'], [text], [text], []])
  })

  it('drops the oldest events of a new caller that would have as many bytes as the largest caller', async () => {
    const store = await openStore({ maxTotalStoredBytes: 1999 })
    const texts = ['x'.repeat(500), 'y'.repeat(500)]
    for (const [sessionId, caller] of Object.entries({ a: 'ada', b: 'bob' })) {
      for (const text of texts) await store.append({ sessionId, streamId: 'a' }, text, false, caller)
    }

    const kept = await Promise.all(['a', 'b'].map((sessionId) => leftOf(store, sessionId)))
    expect(kept).toStrictEqual([texts, texts.slice(1)])
  })

  it('accepts the first event of a caller, regardless of its size', async () => {
    const store = await openStore({ maxTotalStoredBytes: 2000 })
    for (const sessionId of ['a1', 'a2'])
      await store.append({ sessionId, streamId: 'a' }, 'x'.repeat(800), false, 'ada')

    await store.append({ sessionId: 'b', streamId: 'a' }, 'y'.repeat(1500), false, 'bob')
    await store.append({ sessionId: 'b', streamId: 'a' }, 'z', false, 'bob')

    expect(await Promise.all(['a1', 'a2', 'b'].map((sessionId) => leftOf(store, sessionId)))).toStrictEqual([
      [],
      [],
      ['y'.repeat(1500), 'z'],
    ])
  })

  it('does not count dropped and expired events for their caller', async () => {
    const store = await openStore({ maxTotalStoredBytes: 2000, storedEventMs: 500 })
    await store.append({ sessionId: 'a1', streamId: 'a' }, 'x'.repeat(900), false, 'ada')
    await store.append({ sessionId: 'a2', streamId: 'a' }, 'x'.repeat(700), false, 'ada')
    await store.delete('a1')
    await until(async () => (await leftOf(store, 'a2'))?.length === 0)
    await store.append({ sessionId: 'b', streamId: 'a' }, 'x'.repeat(900), false, 'bob')
    await store.append({ sessionId: 'a2', streamId: 'a' }, 'x'.repeat(700), false, 'ada')

    await store.append({ sessionId: 'c', streamId: 'a' }, 'x'.repeat(300), false, 'cyd')

    expect(
      (await Promise.all(['a2', 'b', 'c'].map((id) => leftOf(store, id)))).map((texts) => texts?.length),
    ).toStrictEqual([1, 0, 1])
  })

  it('drops expired events, and keeps the position of an open stream', async () => {
    const store = await openStore({ storedEventMs: 700 })
    // The first to expire.
    await store.append(besides, 'end', true)
    await append(store, one, '1', '2')

    await until(async () => (await left(store, one))?.length === 0)

    expect(await pageOf(store, one, 0, 9)).toMatchObject({ events: [], isWhole: false })
    expect(await pageOf(store, besides, 0, 9)).toBeUndefined()
    await append(store, one, '3')
    expect(await pageOf(store, one, 2, 9)).toMatchObject({ events: [{ sequence: 3, message: '3' }], isWhole: true })
  })
})

it('an event store behaves in Redis as in memory, for random operations', async () => {
  const random = seeded(7)
  const bounds = { maxStoredEvents: 6, maxStoredBytes: 2000 }
  const [expected, actual] = [new InMemoryEventStore({ ...roomy, ...bounds }), await openRedisStore(bounds)]
  const pick = (count: number): number => Math.floor(random() * count)
  for (let step = 0; step < 300; step++) {
    const key = { sessionId: `s${pick(2)}`, streamId: String(pick(4)) }
    const [text, isLast, after] = ['x'.repeat(pick(800)), pick(8) === 0, pick(12)]
    // oxlint-disable no-await-in-loop
    for (const store of [expected, actual]) {
      if (step % 100 === 99) await store.delete(key.sessionId)
      else await store.append(key, text, isLast)
    }
    expect(await pageOf(actual, key, after, 4)).toStrictEqual(await pageOf(expected, key, after, 4))
    // oxlint-enable no-await-in-loop
  }
})

it('streams in Redis keep their positions while their session is used, also without events', async () => {
  const limits = { storedEventMs: 1000, sessionIdleMs: 1000 }
  const { sessionStore, eventStore } = (await server.connect({ limits })).stores
  for (const sessionId of ['used', 'unused']) {
    // oxlint-disable no-await-in-loop
    await sessionStore.create(sessionRecord(sessionId), 60_000)
    await append(eventStore, { sessionId, streamId: 'a' }, '1')
    // oxlint-enable no-await-in-loop
  }
  await sessionStore.touch('used', 60_000)

  // Without reading the other stream, which would count as a use.
  await delay(1200)

  expect(await eventStore.read({ sessionId: 'unused', streamId: 'a' }, 1, 9)).toBeUndefined()
  expect(await eventStore.read({ sessionId: 'used', streamId: 'a' }, 1, 9)).toStrictEqual({
    events: [],
    isWhole: true,
    isEnd: false,
  })
  await append(eventStore, { sessionId: 'used', streamId: 'a' }, '2')
  expect(await eventStore.read({ sessionId: 'used', streamId: 'a' }, 1, 9)).toMatchObject({ events: [{ sequence: 2 }] })
})

it('nodes share events in Redis, and notify each other of appended ones', async () => {
  const prefix = newPrefix()
  const [here, there] = [await openRedisStore({}, prefix), await openRedisStore({}, prefix)]
  await append(here, one, '1')
  let heard = 0
  const stop = there.watch(one, () => heard++)
  // The node watches from now on: earlier events may have been missed.
  await until(() => heard > 0)
  heard = 0

  await append(here, one, '2')

  await until(() => heard > 0)
  expect(await left(there, one)).toStrictEqual(['1', '2'])
  stop()
})

it('events in Redis whose counters were lost are kept until they expire', async () => {
  const prefix = newPrefix()
  const store = await openRedisStore({ maxTotalStoredBytes: 1000 }, prefix)
  await append(store, one, 'x'.repeat(400))
  for (const key of ['', ':bytes', `:of:${createHash('sha256').update('').digest('base64url')}`])
    await server.command(`DEL ${prefix}{events}:callers${key}`)

  expect(await left(store, one)).toStrictEqual(['x'.repeat(400)])
  await append(store, sameIdElsewhere, 'y'.repeat(200))
  expect(await left(store, one)).toStrictEqual(['x'.repeat(400)])
  // More than the limit: only counted events are dropped.
  await append(store, { sessionId: 'three', streamId: 'a' }, 'z'.repeat(700))
  expect([await left(store, one), await left(store, sameIdElsewhere)]).toStrictEqual([['x'.repeat(400)], []])
})

it('an event that is appended while Redis drops connections is stored once, or its append fails', async () => {
  const store = await openRedisStore()
  const outcomes: boolean[] = []
  const answers = () =>
    left(store, one).then(
      () => true,
      () => false,
    )
  for (let index = 1; index <= 40; index++) {
    // oxlint-disable-next-line no-await-in-loop
    const appending = store.append(one, String(index), false).then(
      () => true,
      () => false,
    )
    if (index % 10 === 0) server.proxy.goAway()
    // oxlint-disable-next-line no-await-in-loop
    outcomes.push(await appending)
    server.proxy.comeBack()
    // oxlint-disable-next-line no-await-in-loop
    if (index % 10 === 0) await until(answers)
  }

  const kept = (await left(store, one))?.map(Number) ?? []

  const sure = outcomes.flatMap((isKept, index) => (isKept ? [index + 1] : []))
  expect(sure.length).toBeGreaterThan(30)
  expect(kept).toEqual(expect.arrayContaining(sure))
  expect(kept).toStrictEqual([...new Set(kept)].toSorted((a, b) => a - b))
})
