import type { Principal } from './principal.js'

/**
 * Maximum milliseconds between two checks of the clock. Timers stop while a machine sleeps, but tokens still expire;
 * and a timer of more than 24 days would fire at once.
 */
const lookMs = 60_000

/**
 * Calls back once when the credentials of a caller expire, which may be at once. Free for callers without an expiry.
 *
 * @returns A function that cancels the wait.
 */
export function whenExpired(principal: Principal | null, callback: () => void): () => void {
  const expiresAt = principal?.expiresAt
  if (expiresAt === undefined || expiresAt === Infinity) return doNothing
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    const leftMs = expiresAt * 1000 - Date.now()
    // An `expiresAt` that is not a number (`NaN`) counts as expired.
    if (leftMs > 0) timer = setTimeout(look, Math.min(leftMs, lookMs)).unref()
    else callback()
  }
  look()
  return () => clearTimeout(timer)
}

function doNothing(): void {}
