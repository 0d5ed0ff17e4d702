/** Maximum delay of a timer in milliseconds, about 24 days. A longer timer would fire at once. */
export const longestTimer = 2 ** 31 - 1

/**
 * Starts a timer, unless the delay exceeds {@link longestTimer}. Without a timer, returns `undefined`, which `clearTimeout`
 * accepts.
 */
export function startLongTimer(onTimeout: () => void, milliseconds: number): NodeJS.Timeout | undefined {
  return milliseconds > longestTimer ? undefined : setTimeout(onTimeout, milliseconds)
}
