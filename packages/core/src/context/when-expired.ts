import type { Principal } from './principal.js'

/**
 * Maximum milliseconds between two checks of the clock. While a machine sleeps, timers stop but tokens expire. A timer
 * of more than 24 days would fire at once.
 */
const checkMs = 60_000

/**
 * Calls back once when the credentials of a caller expire, which may be at once. Free for callers without an expiry.
 *
 * @returns A function that cancels the wait.
 */
export function whenExpired(principal: Principal | null, callback: () => void): () => void {
  const expiresAt = principal?.expiresAt
  if (expiresAt === undefined || expiresAt === Infinity) return doNothing
  let timer: NodeJS.Timeout | undefined
  const check = (): void => {
    const leftMs = expiresAt * 1000 - Date.now()
    // An `expiresAt` that is not a number (`NaN`) counts as expired.
    if (leftMs > 0) timer = setTimeout(check, Math.min(leftMs, checkMs)).unref()
    else callback()
  }
  check()
  return () => clearTimeout(timer)
}

function doNothing(): void {}
