// The contract of every session store, tested in memory and in Redis.

import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { InMemorySessionStore, type SessionStore } from '@toolwright/sessions'
import { sessionRecord } from '../../../test/support/session-record.js'
import { until } from '../../../test/support/until.js'
import { newPrefix, RedisServer } from './support/redis-server.js'

const longMs = 60_000
/** The caller of all sessions without one, in Redis. */
const somebody = createHash('sha256').update('somebody').digest('base64url')
const ignore = (): void => undefined
const server = RedisServer.forTests()

async function openRedisStore(maxSessions: number, prefix = newPrefix()): Promise<SessionStore> {
  return (await server.connect({ prefix, limits: { maxSessions } })).stores.sessionStore
}

const stores: readonly (readonly [string, (maxSessions: number) => Promise<SessionStore>])[] = [
  ['in memory', async (maxSessions) => new InMemorySessionStore({ maxSessions })],
  ['in Redis', (maxSessions) => openRedisStore(maxSessions)],
]

describe.each(stores)('a session store %s', (_where, openStore) => {
  async function open(maxSessions = 10) {
    const store = await openStore(maxSessions)
    const ended: string[] = []
    const detach = store.attach({ isInUse: () => false, ended: (id) => void ended.push(id), received: ignore })
    server.stopLater(detach)
    const known = async (...ids: string[]): Promise<string[]> => {
      const found = await Promise.all(ids.map(async (id) => store.get(id)))
      return ids.filter((_id, index) => found[index] !== undefined)
    }
    return { store, ended, detach, known }
  }

  it('returns stored sessions, and undefined for unknown ids', async () => {
    const { store } = await open()

    expect(await store.create(sessionRecord('a'), longMs)).toBe(true)

    expect(await store.get('a')).toStrictEqual(sessionRecord('a'))
    expect(await store.get('b')).toBeUndefined()
    expect(await store.update('b', (session) => session)).toBeUndefined()
    await store.touch('b', longMs)
    await store.delete('b')
    expect(await store.get('b')).toBeUndefined()
  })

  it('drops a session after its idle time, unless it is touched', async () => {
    const { store, known } = await open()
    await store.create(sessionRecord('idle'), 700)
    await store.create(sessionRecord('touched'), 700)
    await store.touch('touched', longMs)
    await store.create(sessionRecord('kept for ever'), Number.POSITIVE_INFINITY)

    await until(async () => (await store.get('idle')) === undefined)

    expect(await known('idle', 'touched', 'kept for ever')).toStrictEqual(['touched', 'kept for ever'])
  })

  it('does not extend the idle time on a change', async () => {
    const { store } = await open()
    await store.create(sessionRecord('a'), 700)

    await store.update('a', (session) => ({ ...session, isInitialized: true }))

    expect(await store.get('a')).toMatchObject({ isInitialized: true })
    await until(async () => (await store.get('a')) === undefined)
  })

  it('makes each change atomically, with any concurrency', async () => {
    const { store } = await open()
    await store.create(sessionRecord('a'), longMs)

    await Promise.all(
      Array.from({ length: 60 }, async () =>
        store.update('a', (session) => ({ ...session, delivered: session.delivered + 1 })),
      ),
    )

    expect(await store.get('a')).toStrictEqual({ ...sessionRecord('a'), delivered: 60 })
  })

  it('rethrows the error of a change, and leaves the session unchanged', async () => {
    const { store } = await open()
    await store.create(sessionRecord('a'), longMs)

    const reject = async () =>
      store.update('a', () => {
        throw new Error('too many URIs')
      })

    await expect(reject()).rejects.toThrow('too many URIs')
    expect(await store.get('a')).toStrictEqual(sessionRecord('a'))
  })

  it('makes a change although the change before it throws', async () => {
    const { store } = await open()
    await store.create(sessionRecord('a'), longMs)
    const change = async (run: () => number) => store.update('a', (session) => ({ ...session, delivered: run() }))
    const reject = (): number => {
      throw new Error('too many URIs')
    }

    const [rejected, changed] = await Promise.allSettled([change(reject), change(() => 7)])

    expect([rejected.status, changed.status]).toStrictEqual(['rejected', 'fulfilled'])
    expect(await store.get('a')).toMatchObject({ delivered: 7 })
  })

  it('notifies nodes of an end once, and does not notify detached nodes', async () => {
    const { store, ended, detach, known } = await open()
    for (const id of ['a', 'b']) await store.create(sessionRecord(id), longMs)

    await store.delete('a')
    await store.delete('a')
    await until(() => ended.length > 0)
    detach()
    await store.delete('b')
    await delay(20)

    expect([ended, await known('a', 'b')]).toStrictEqual([['a'], []])
  })

  it('in a flood of new sessions, drops only new sessions, not sessions in use', async () => {
    const { store, ended, known } = await open(3)
    for (const id of ['used', 'used too']) {
      await store.create(sessionRecord(id), longMs)
      await store.touch(id, longMs)
    }

    for (let index = 0; index < 20; index++) await store.create(sessionRecord(`flood ${index}`), longMs)

    expect(await known('used', 'used too', 'flood 0', 'flood 18', 'flood 19')).toStrictEqual([
      'used',
      'used too',
      'flood 19',
    ])
    await until(() => ended.length === 19)
  })

  it('does not count an ended session, also when it is touched', async () => {
    const { store } = await open(1)
    await store.create(sessionRecord('a'), longMs)
    await store.delete('a')
    await store.touch('a', longMs)

    expect(await store.create(sessionRecord('b'), longMs)).toBe(true)
  })

  it('drops expired sessions before any other', async () => {
    const { store, known } = await open(3)
    for (const id of ['over', 'used', 'new']) await store.create(sessionRecord(id), longMs)
    await store.touch('used', longMs)
    await store.touch('over', 100)
    await until(async () => (await store.get('over')) === undefined)

    expect(await store.create(sessionRecord('newer'), longMs)).toBe(true)

    expect(await known('used', 'new', 'newer')).toStrictEqual(['used', 'new', 'newer'])
  })

  it('at the limit, drops the least recently used session', async () => {
    const { store, ended, known } = await open(2)
    for (const id of ['a', 'b']) await store.create(sessionRecord(id), 1800)
    for (const id of ['b', 'a']) {
      await store.touch(id, 1800)
      await delay(5)
    }
    // Longer than the interval at which nodes report their use.
    await delay(920)
    await store.touch('a', 1800)

    expect(await store.create(sessionRecord('c'), 1800)).toBe(true)

    expect(await known('a', 'b', 'c')).toStrictEqual(['a', 'c'])
    await until(() => ended.includes('b'))
  })

  it('in a flood by one caller, drops no session of another, also if the flood uses its sessions', async () => {
    const { store, known } = await open(10)
    await store.create(sessionRecord('unused', 'ada'), longMs)
    await store.create(sessionRecord('used', 'bob'), longMs)
    await store.touch('used', longMs)

    for (let index = 0; index < 100; index++) {
      const id = `flood ${index}`
      await store.create(sessionRecord(id, 'flood'), longMs)
      if (index % 2 === 0) await store.touch(id, longMs)
    }

    expect(await known('unused', 'used')).toStrictEqual(['unused', 'used'])
  })

  it('at the limit, drops sessions of the caller with the most sessions, for new sessions of any caller', async () => {
    const { store, ended, known } = await open(4)
    const all = { b: 'bob', a1: 'ada', a2: 'ada', a3: 'ada' }
    for (const [id, caller] of Object.entries(all)) {
      await store.create(sessionRecord(id, caller), 1800)
      await store.touch(id, 1800)
      await delay(5)
    }
    // Longer than the interval at which nodes report their use.
    await delay(920)

    expect(await store.create(sessionRecord('c', 'cyd'), 1800)).toBe(true)
    expect(await known(...Object.keys(all))).toStrictEqual(['b', 'a2', 'a3'])
    await store.touch('c', 1800)
    expect(await store.create(sessionRecord('a4', 'ada'), 1800)).toBe(true)

    expect(await known(...Object.keys(all), 'c', 'a4')).toStrictEqual(['b', 'a3', 'c', 'a4'])
    await until(() => ended.length === 2)
  })

  it.each(['a', 'b', 'c'])(
    'of callers with equally many sessions, drops the least recently used: %s',
    async (first) => {
      const { store, known } = await open(3)
      const all = ['a', 'b', 'c']
      const others = all.filter((id) => id !== first)
      for (const id of all) await store.create(sessionRecord(id, `caller of ${id}`), 1800)
      for (const id of [first, ...others]) {
        await store.touch(id, 1800)
        await delay(5)
      }
      // Longer than the interval at which nodes report their use.
      await delay(920)

      expect(await store.create(sessionRecord('d', 'caller of d'), 1800)).toBe(true)

      expect(await known(...all, 'd')).toStrictEqual([...others, 'd'])
    },
  )

  it('in a flood by many callers, drops sessions of the flood, not those of the busiest caller', async () => {
    const { store, known } = await open(4)
    const used = ['a1', 'a2', 'a3']
    for (const id of used) {
      await store.create(sessionRecord(id, 'ada'), 1800)
      await store.touch(id, 1800)
    }
    // Longer than the interval at which nodes report their use.
    await delay(920)

    for (let index = 0; index < 20; index++) await store.create(sessionRecord(`${index}`, `address ${index}`), 1800)

    expect(await known(...used, '18', '19')).toStrictEqual([...used, '19'])
  })

  it('counts a session stored without a caller for its owner', async () => {
    const { store, known } = await open(3)
    const { caller: _none, ...old } = sessionRecord('b')
    await store.create({ ...old, owner: 'bob' }, longMs)

    for (const id of ['1', '2', '3', '4']) {
      await store.create({ ...old, sessionId: id, owner: 'ada' }, longMs)
    }

    expect(await known('b', '1', '2', '3', '4')).toStrictEqual(['b', '3', '4'])
  })
})

it('nodes share sessions in Redis, and notify each other of ended ones', async () => {
  const prefix = newPrefix()
  const [one, other] = [await openRedisStore(10, prefix), await openRedisStore(10, prefix)]
  const ended: string[] = []
  server.stopLater(one.attach({ isInUse: () => false, ended: (id) => void ended.push(id), received: ignore }))
  await one.create(sessionRecord('a'), longMs)

  expect(await other.get('a')).toStrictEqual(sessionRecord('a'))
  await other.delete('a')

  await until(() => ended.includes('a'))
  expect(await one.get('a')).toBeUndefined()
})

it('nodes forward client messages to each other, with any content', async () => {
  const prefix = newPrefix()
  const [one, other] = [await openRedisStore(10, prefix), await openRedisStore(10, prefix)]
  const stranger = await openRedisStore(10)
  const received: string[][] = []
  const node = { isInUse: () => false, ended: ignore }
  for (const [name, store] of Object.entries({ other, stranger })) {
    server.stopLater(store.attach({ ...node, received: (...message) => void received.push([name, ...message]) }))
  }

  await one.forward?.('a', '{"text":"\\n two  words, \u{1f600}"}')

  await until(() => received.length > 0)
  expect(received).toStrictEqual([['other', 'a', '{"text":"\\n two  words, \u{1f600}"}']])
})

it('no session in Redis is dropped if its last use is so recent that it may be in use', async () => {
  const store = await openRedisStore(2)
  for (const id of ['a', 'b']) {
    await store.create(sessionRecord(id), longMs)
    await store.touch(id, longMs)
  }

  expect(await store.create(sessionRecord('c'), longMs)).toBe(false)
})

it('a session in Redis is kept although a node reports its use late, by at most half the idle time', async () => {
  const prefix = newPrefix()
  const store = await openRedisStore(1, prefix)
  await store.create(sessionRecord('a'), longMs)
  await store.touch('a', longMs)
  const usedBefore = async (ms: number): Promise<void> => {
    for (const key of ['used', `used:of:${somebody}`])
      await server.command(`ZADD ${prefix}{sessions}:${key} ${Date.now() + longMs - ms} a`)
  }

  await usedBefore(longMs * 0.4)
  expect(await store.create(sessionRecord('b'), longMs)).toBe(false)

  await usedBefore(longMs * 0.6)
  expect(await store.create(sessionRecord('b'), longMs)).toBe(true)
})

it('an undefined limit has its default value, as in the options of a server', async () => {
  const limits = { maxSessions: undefined } as object
  const { sessionStore } = (await server.connect({ limits })).stores

  expect(await sessionStore.create(sessionRecord('a'), longMs)).toBe(true)
})

it('sessions in Redis are dropped at the limit although the caller index was evicted', async () => {
  const prefix = newPrefix()
  const store = await openRedisStore(2, prefix)
  for (const id of ['a', 'b']) await store.create(sessionRecord(id), longMs)
  for (const key of ['callers', 'unused:callers', `unused:of:${somebody}`])
    await server.command(`DEL ${prefix}{sessions}:${key}`)

  expect(await store.create(sessionRecord('c'), longMs)).toBe(true)
  expect([await store.get('a'), await store.get('b')]).toStrictEqual([undefined, sessionRecord('b')])
})

it('the caller index in Redis expires with its sessions, also when no session is opened for long', async () => {
  const prefix = newPrefix()
  const store = await openRedisStore(10, prefix)
  await store.create(sessionRecord('left'), 300)
  await store.create(sessionRecord('used'), 300)
  await store.touch('used', longMs)
  await until(async () => (await store.get('left')) === undefined)
  await delay(100)

  await store.create(sessionRecord('new'), longMs)

  expect(await server.command(`HLEN ${prefix}{sessions}:callers`)).toContain(':2')
})

it('a session in Redis that a node of an older version uses is not dropped', async () => {
  const prefix = newPrefix()
  const store = await openRedisStore(3, prefix)
  for (const [id, caller] of Object.entries({ a: 'alice', b: 'alice', unused: 'bob' }))
    await store.create({ ...sessionRecord(id), caller }, longMs)
  // An older version knows only the sorted sets.
  await server.command(`ZREM ${prefix}{sessions}:unused a b`)
  for (const id of ['a', 'b']) await server.command(`ZADD ${prefix}{sessions}:used ${Date.now() + longMs} ${id}`)

  await store.create({ ...sessionRecord('new'), caller: 'carol' }, longMs)

  expect([await store.get('a'), await store.get('b')]).not.toContain(undefined)
  expect(await store.get('unused')).toBeUndefined()
})
