import { InMemoryEventStore } from '@toolwright/core/store'

const key = { sessionId: 'a', streamId: 's' }

afterEach(() => {
  jest.useRealTimers()
})

it('lets go of old events although nobody sends or asks, also of those that come when all were gone', async () => {
  jest.useFakeTimers()
  const limits = { maxStoredEvents: 9, maxStoredBytes: 10_000, maxTotalStoredBytes: 10_000, storedEventMs: 1000 }
  const store = new InMemoryEventStore(limits)

  for (const message of ['first', 'second']) {
    // oxlint-disable-next-line no-await-in-loop
    await store.append(key, message, false)
    expect(store.bytes).toBeGreaterThan(0)
    jest.advanceTimersByTime(500)
    // oxlint-disable-next-line no-await-in-loop
    await store.append(key, `after the ${message}`, false)
    jest.advanceTimersByTime(600)
    expect(store.bytes).toBeGreaterThan(0)
    jest.advanceTimersByTime(2000)
    expect(store.bytes).toBe(0)
  }
  expect(jest.getTimerCount()).toBe(0)
})
