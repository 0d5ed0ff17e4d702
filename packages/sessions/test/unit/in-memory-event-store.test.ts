import { InMemoryEventStore } from '@toolwright/sessions'

const key = { sessionId: 'a', streamId: 's' }

afterEach(() => {
  jest.useRealTimers()
})

it('old events are deleted without any access, including events added after all were deleted', async () => {
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
