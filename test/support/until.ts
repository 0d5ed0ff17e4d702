import { setTimeout as sleep } from 'node:timers/promises'

/** Polls for what a program does without an answer. */
export async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 5) {
    if (condition()) return
    // oxlint-disable-next-line no-await-in-loop
    await sleep(5)
  }
  throw new Error(`waited in vain for ${String(condition)}`)
}
