import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds from one try to the next: twice as many each time, up to the second number. */
const [firstRetryMs, lastRetryMs] = [100, 10_000]

/** Milliseconds for which it is tried. */
const retryForMs = 5 * 60_000

/**
 * Tries until it succeeds, for five minutes: what it needs may be gone for a while.
 *
 * @param signal Nobody waits any more: the try that runs is the last, or one that is made at once.
 * @throws what the last try threw
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
