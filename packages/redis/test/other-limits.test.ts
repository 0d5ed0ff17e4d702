// Nodes with different limits, as during a rolling deploy, and a Redis that evicts live keys.

import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore } from '@toolwright/sessions'
import { type Task } from '@toolwright/tasks'
import { sessionRecord } from '../../../test/support/session-record.js'
import { seeded } from '../../fastify/test/support/random.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests()

const hourMs = 3_600_000
const key = { sessionId: 'a', streamId: 'b' }

it('sessions of a node count towards the limit until the idle time of that node has passed', async () => {
  const { sessionStore } = (await server.connect({ limits: { maxSessions: 2 } })).stores
  await sessionStore.create(sessionRecord('long'), hourMs)
  await sessionStore.create(sessionRecord('short'), 300)
  await delay(400)

  for (const id of ['b', 'c']) await sessionStore.create(sessionRecord(id), hourMs)

  const found = await Promise.all(
    ['long', 'short', 'b', 'c'].map(async (id) => (await sessionStore.get(id)) !== undefined),
  )
  expect(found).toStrictEqual([false, false, true, true])
})

it('counters of events live as long as the events of the node with the longest age', async () => {
  const prefix = newPrefix()
  const open = async (storedEventMs: number): Promise<EventStore> =>
    (await server.connect({ prefix, limits: { storedEventMs, sessionIdleMs: 1000 } })).stores.eventStore
  const [long, short] = [await open(hourMs), await open(1000)]
  await long.append(key, '1', false)

  await short.append(key, '2', false)

  const counts = ['sessions', 'bytes', 'callers', 'callers:bytes'].map((name) => `{events}:${name}`)
  const names = [...counts, '{a}:events', '{a}:order', '{a}:streams']
  const times = await Promise.all(names.map(async (name) => server.command(`PTTL ${prefix}${name}`)))
  expect(times.filter((time) => !(Number.parseInt(time.slice(1), 10) > hourMs - 60_000))).toStrictEqual([])
})

describe('after Redis has evicted live keys,', () => {
  const bounds = { maxStoredEvents: 5, maxStoredBytes: 2000, maxTotalStoredBytes: 4000 }

  it('events are missing but never corrupted, and their limits apply again', async () => {
    const prefix = newPrefix()
    const { eventStore } = (await server.connect({ prefix, limits: bounds })).stores
    const random = seeded(11)
    const pick = (count: number): number => Math.floor(random() * count)
    const names = [
      ...['sessions', 'bytes', 'callers', 'callers:bytes'].map((name) => `{events}:${name}`),
      `{events}:callers:of:${createHash('sha256').update('').digest('base64url')}`,
      ...['events', 'order', 'streams'].flatMap((name) => [`{0}:${name}`, `{1}:${name}`]),
    ]
    for (let step = 0; step < 200; step++) {
      const place = { sessionId: String(pick(2)), streamId: String(pick(2)) }
      // oxlint-disable no-await-in-loop
      if (pick(4) === 0) await server.command(`DEL ${prefix}${names[pick(names.length)]}`)
      await eventStore.append(place, `${place.sessionId}/${place.streamId} ${'x'.repeat(pick(600))}`, pick(10) === 0)
      const { events = [] } = (await eventStore.read(place, 0, 9)) ?? {}
      // oxlint-enable no-await-in-loop
      expect(events.length).toBeLessThanOrEqual(bounds.maxStoredEvents)
      for (const { message } of events) expect(message).toMatch(new RegExp(`^${place.sessionId}/${place.streamId} x*$`))
    }

    for (const sessionId of ['2', '3']) {
      for (const text of ['1', '2', '3'])
        await eventStore.append({ sessionId, streamId: 'new' }, text.repeat(400), false)
    }

    // All events fit, because evicted ones are not counted.
    const pages = await Promise.all(
      ['2', '3'].map((sessionId) => eventStore.read({ sessionId, streamId: 'new' }, 0, 9)),
    )
    expect(pages.map((page) => page?.events.length)).toStrictEqual([3, 3])
    expect(Number((await server.command(`HGET ${prefix}{events}:bytes ""`)).split('\r\n')[1])).toBeLessThanOrEqual(4000)
  })

  it('evicted tasks no longer count', async () => {
    const prefix = newPrefix()
    const { store } = (await server.connect({ prefix, limits: { maxTaskBytes: 1000 } })).stores.tasks
    const now = Date.now()
    const create = (taskId: string): Promise<boolean> =>
      store.create({ taskId, owner: null, status: 'working', createdAt: now, lastUpdatedAt: now, ttlMs: hourMs })
    const complete = (taskId: string): Promise<Task | undefined> =>
      store.update(taskId, (task) => ({ ...task, status: 'completed', result: 'x'.repeat(900) }))
    await create('a')
    await complete('a')
    await server.command(`DEL ${prefix}{tasks}:all ${prefix}{a}:task`)

    await create('b')

    expect(await complete('b')).toMatchObject({ status: 'completed' })
  })
})
