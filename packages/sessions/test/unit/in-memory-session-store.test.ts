import { InMemorySessionStore } from '@toolwright/sessions'
import { sessionRecord } from '../../../../test/support/session-record.js'

const idleMs = 1000
const ignore = (): void => undefined

function openStore(maxSessions = 3) {
  const clock = { now: 0 }
  const store = new InMemorySessionStore({ maxSessions }, () => clock.now)
  const inUse = new Set<string>()
  const ended: string[] = []
  store.attach({ isInUse: (id) => inUse.has(id), ended: (id) => void ended.push(id), received: ignore })
  const create = (...ids: string[]): boolean[] => ids.map((id) => store.create(sessionRecord(id), idleMs))
  const known = (...ids: string[]): string[] => ids.filter((id) => store.get(id) !== undefined)
  return { store, clock, inUse, ended, create, known }
}

it('a session lives for its idle time after its last use, and its nodes are notified of its end', () => {
  const { store, clock, ended, create, known } = openStore()
  create('a', 'b')
  clock.now = 600
  store.touch('a', idleMs)
  clock.now = 1001

  expect(known('a', 'b')).toStrictEqual(['a'])
  clock.now = 1601
  expect(known('a', 'b')).toStrictEqual([])
  expect([ended, store.size]).toStrictEqual([['b', 'a'], 0])
})

it('at the limit, the least recently used session is dropped', () => {
  const { store, clock, ended, create, known } = openStore()
  create('a', 'b', 'c')
  for (const id of ['b', 'a', 'c']) {
    clock.now++
    store.touch(id, idleMs)
  }

  expect(create('d')).toStrictEqual([true])
  expect([ended, known('a', 'b', 'c', 'd')]).toStrictEqual([['b'], ['a', 'c', 'd']])
})

it('a session in regular use is kept, and unused sessions of the same age are dropped', () => {
  const { store, clock, create, known } = openStore()
  create('a', 'b', 'c')
  for (const id of ['a', 'b', 'c', 'a']) store.touch(id, idleMs)

  create('d')
  expect(known('a', 'b', 'c', 'd')).toStrictEqual(['a', 'c', 'd'])
  clock.now = 600
  store.touch('a', idleMs)
  clock.now = 1001
  create('e')
  expect(store.size).toBe(2)
})

it('a flood of new sessions displaces its own sessions, and no used sessions', () => {
  const { store, create, known, ended } = openStore()
  create('used', 'used too')
  for (const id of ['used', 'used too']) store.touch(id, idleMs)

  create(...Array.from({ length: 1000 }, (_, index) => `flood ${index}`))

  expect(known('used', 'used too', 'flood 998', 'flood 999')).toStrictEqual(['used', 'used too', 'flood 999'])
  expect([store.size, ended.length]).toStrictEqual([3, 999])
})

it('a session in use at a node is neither displaced nor expired', () => {
  const { store, clock, inUse, create, known } = openStore()
  create('a', 'b', 'c')
  for (const id of ['a', 'b', 'c']) inUse.add(id)

  expect(create('d')).toStrictEqual([false])
  clock.now = 10_000
  expect(create('d')).toStrictEqual([false])
  expect(known('a', 'b', 'c')).toStrictEqual(['a', 'b', 'c'])
  inUse.delete('b')
  expect(create('d')).toStrictEqual([true])
  expect([known('a', 'b', 'c', 'd'), store.size]).toStrictEqual([['a', 'c', 'd'], 3])
})

it('10,000 sessions of one caller displace neither the used nor the newest session of another', () => {
  const { store, known, ended } = openStore(1000)
  for (const id of ['used', 'new']) store.create(sessionRecord(id, 'ada'), idleMs)
  store.touch('used', idleMs)

  for (let index = 0; index < 10_000; index++) {
    store.create(sessionRecord(`${index}`, 'flood'), idleMs)
    store.touch(`${index}`, idleMs)
  }

  expect([known('used', 'new'), store.size, ended.length]).toStrictEqual([['used', 'new'], 1000, 9002])
  store.touch('new', idleMs)
  expect(store.create(sessionRecord('newer', 'bob'), idleMs)).toBe(true)
  expect(known('used', 'new', 'newer', '9002', '9003')).toStrictEqual(['used', 'new', 'newer', '9003'])
})

it('a caller with the most sessions in use displaces no idle sessions of others', () => {
  const { store, inUse, known } = openStore()
  for (const [id, caller] of Object.entries({ a1: 'ada', a2: 'ada', b: 'bob' })) {
    store.create(sessionRecord(id, caller), idleMs)
    store.touch(id, idleMs)
    if (caller === 'ada') inUse.add(id)
  }

  expect(store.create(sessionRecord('a3', 'ada'), idleMs)).toBe(false)
  expect(known('a1', 'a2', 'a3', 'b')).toStrictEqual(['a1', 'a2', 'b'])
  expect(store.create(sessionRecord('c', 'cyd'), idleMs)).toBe(true)
  expect(known('a1', 'a2', 'b', 'c')).toStrictEqual(['a1', 'a2', 'c'])
})

it('a change is stored in place, and does not count as a use', () => {
  const { store, create, known } = openStore()
  create('a', 'b', 'c')

  const changed = store.update('a', (session) => ({ ...session, logLevel: 'debug' }))
  create('d')

  expect(changed).toStrictEqual({ ...sessionRecord('a'), logLevel: 'debug' })
  expect(known('a', 'b', 'c', 'd')).toStrictEqual(['b', 'c', 'd'])
  expect(store.update('nobody', (session) => session)).toBeUndefined()
})

it('an end is reported once, and not to a node that has detached', () => {
  const { store, create, ended } = openStore()
  create('a', 'b')
  const others: string[] = []
  const detach = store.attach({ isInUse: () => false, ended: (id) => void others.push(id), received: ignore })

  store.delete('a')
  store.delete('a')
  detach()
  store.delete('b')

  expect([ended, others]).toStrictEqual([['a', 'b'], ['a']])
})

it('sessions expire without any access, as long as there are sessions', () => {
  jest.useFakeTimers()
  const store = new InMemorySessionStore({ maxSessions: 3 })
  store.create(sessionRecord('a'), idleMs)
  jest.advanceTimersByTime(600)
  store.create(sessionRecord('b'), idleMs)
  jest.advanceTimersByTime(3000)
  expect([store.size, jest.getTimerCount()]).toStrictEqual([0, 0])
  store.create(sessionRecord('c'), idleMs)
  jest.advanceTimersByTime(3000)
  expect([store.size, jest.getTimerCount()]).toStrictEqual([0, 0])
  jest.useRealTimers()
})
