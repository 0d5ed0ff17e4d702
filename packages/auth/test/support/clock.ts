/** A time within a second, because tokens have whole seconds. */
const start = Date.UTC(2026, 0, 1) + 500

/** Fakes only the clocks: timers and the network keep running. */
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
 * Fakes clocks, time limits and timers until `passSeconds`. The network keeps running: wait for it with {@link until}.
 */
export function stopTimers(): void {
  jest.useFakeTimers({ now: start, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] })
  // Replaces `AbortSignal.timeout`, whose timer cannot be faked.
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new DOMException('The time is over', 'TimeoutError')), milliseconds)
    return controller.signal
  })
}

/** Restores clocks and timers. */
export function startClocks(): void {
  jest.useRealTimers()
  jest.restoreAllMocks()
}

/** Waits for the network, while the clocks are fake. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    // oxlint-disable-next-line no-await-in-loop
    await new Promise(setImmediate)
  }
}

export function passSeconds(seconds: number): void {
  jest.advanceTimersByTime(seconds * 1000)
}
