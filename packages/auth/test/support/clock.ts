/** A time in the middle of a second, which tokens do not know. */
const start = Date.UTC(2026, 0, 1) + 500

/** Has the clocks stand still, and nothing else: timers and the network go on. */
export function stopClocks(): void {
  jest.useFakeTimers({
    now: start,
    doNotFake: [
      'hrtime',
      'nextTick',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  })
}

/**
 * Has time limits and timers stand still with the clocks, until `passSeconds`. The network goes on: what comes over it has
 * to be waited for with {@link until}.
 */
export function stopTimers(): void {
  jest.useFakeTimers({ now: start, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] })
  // Node's own has a timer that nothing in JavaScript can stop.
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new DOMException('The time is over', 'TimeoutError')), milliseconds)
    return controller.signal
  })
}

/** Undoes what the others did. */
export function startClocks(): void {
  jest.useRealTimers()
  jest.restoreAllMocks()
}

/** Waits for something of the network's, whatever the clocks say. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    // oxlint-disable-next-line no-await-in-loop
    await new Promise(setImmediate)
  }
}

export function passSeconds(seconds: number): void {
  jest.advanceTimersByTime(seconds * 1000)
}
