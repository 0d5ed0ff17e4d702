import type { Principal } from './principal.js'

/**
 * Milliseconds from one look at the clock to the next, at most: timers stand still while a machine sleeps, which tokens do
 * not, and a timer of more than 24 days would fire at once.
 */
const lookMs = 60_000

/**
 * Calls back once when the credentials of a caller are over, which may be at once. Costs nothing where they do not end.
 *
 * @returns Stops waiting for it.
 */
export function whenExpired(principal: Principal | null, callback: () => void): () => void {
  const expiresAt = principal?.expiresAt
  if (expiresAt === undefined || expiresAt === Infinity) return doNothing
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    const leftMs = expiresAt * 1000 - Date.now()
    // What is no number is no time to come, either.
    if (leftMs > 0) timer = setTimeout(look, Math.min(leftMs, lookMs)).unref()
    else callback()
  }
  look()
  return () => clearTimeout(timer)
}

function doNothing(): void {}
