import type { Principal } from './principal.js'

/**
 * Maximum interval between two checks of the clock, in milliseconds. While a machine sleeps, timers stop but tokens expire. A
 * timer of more than 24 days would fire at once.
 */
const checkMs = 60_000

/**
 * Calls `callback` one time, when the credentials of a caller expire; immediately if they have expired. Starts no timer for a
 * caller without an expiry.
 *
 * @returns A function that cancels the wait.
 */
export function whenExpired(principal: Principal | null, callback: () => void): () => void {
  const expiresAt = principal?.expiresAt
  if (expiresAt === undefined || expiresAt === Infinity) return doNothing
  let timer: NodeJS.Timeout | undefined
  const check = (): void => {
    const leftMs = expiresAt * 1000 - Date.now()
    // An `expiresAt` that is not a number (`NaN`) is treated as expired.
    if (leftMs > 0) timer = setTimeout(check, Math.min(leftMs, checkMs)).unref()
    else callback()
  }
  check()
  return () => clearTimeout(timer)
}

function doNothing(): void {}
