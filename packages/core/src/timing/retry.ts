import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds between attempts: doubled after each attempt, up to the second number. */
const [firstRetryMs, lastRetryMs] = [100, 10_000]

const retryForMs = 5 * 60_000

/**
 * Retries until an attempt succeeds, for up to five minutes.
 *
 * @param signal Ends the retries. If an attempt is running, no other attempt follows. If no attempt is running, a last attempt
 * starts immediately.
 * @throws The error of the last attempt.
 */
export async function retry<Result>(attempt: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  const giveUpAt = performance.now() + retryForMs
  for (let waitMs = firstRetryMs; ; waitMs = Math.min(2 * waitMs, lastRetryMs)) {
    try {
      // oxlint-disable-next-line no-await-in-loop
      return await attempt()
    } catch (error) {
      if (signal?.aborted === true || performance.now() > giveUpAt) throw error
    }
    // oxlint-disable-next-line no-await-in-loop
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
