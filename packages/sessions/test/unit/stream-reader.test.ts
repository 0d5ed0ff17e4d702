import { InMemoryEventStore } from '../../src/in-memory-event-store.js'
import { StreamReader } from '../../src/stream-reader.js'

const key = { sessionId: 'session', streamId: 'a' }

/** A stream that stores three events. */
function openStream() {
  const limits = { maxStoredEvents: 3, maxStoredBytes: 10_000, maxTotalStoredBytes: 10_000, storedEventMs: 60_000 }
  const store = new InMemoryEventStore(limits)
  const send = async (...messages: readonly string[]): Promise<void> => {
    for (const message of messages) await store.append(key, message, false)
  }
  return { store, send }
}

describe('a reader that falls behind the events of its stream', () => {
  it('ends, because its client would mistake the rest for the whole stream', async () => {
    const { store, send } = openStream()
    let closed = 0
    const reader = new StreamReader(store, key, 0, 0, () => closed++)
    await send('1')
    expect(await reader.next(0)).toEqual([{ id: 'a-1', message: '1' }])

    await send('2', '3', '4', '5')

    expect([await reader.next(0), closed]).toEqual([null, 1])
  })

  it('continues with the oldest stored event, if that is allowed', async () => {
    const { store, send } = openStream()
    await send('1', '2', '3', '4')
    const reader = new StreamReader(store, key, 0, Number.POSITIVE_INFINITY, () => undefined)
    expect((await reader.next(0))?.map(({ message }) => message)).toEqual(['2', '3', '4'])

    await send('5', '6', '7', '8')

    expect(await reader.next(0)).toBeNull()
  })
})
