/** Milliseconds, some 24 days. A longer timer would fire at once: what may take so long has no limit. */
export const longestTimer = 2 ** 31 - 1

/** A timer, unless what it is to end may take so long. Clearing none is fine. */
export function startLongTimer(onTimeout: () => void, milliseconds: number): NodeJS.Timeout | undefined {
  return milliseconds > longestTimer ? undefined : setTimeout(onTimeout, milliseconds)
}
