import { setTimeout as sleep } from 'node:timers/promises'

/** Polls for effects of a program that have no response. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 5) {
    // oxlint-disable no-await-in-loop
    if (await condition()) return
    await sleep(5)
    // oxlint-enable no-await-in-loop
  }
  throw new Error(`waited in vain for ${String(condition)}`)
}
