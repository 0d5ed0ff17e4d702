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

export function passSeconds(seconds: number): void {
  jest.advanceTimersByTime(seconds * 1000)
}
