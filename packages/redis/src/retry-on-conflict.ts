import { setTimeout as sleep } from 'node:timers/promises'
import { LimitError } from '@toolwright/core'

/** Result of a try that failed because another node was faster. */
export const tooLate: unique symbol = Symbol('too late')

const maxTries = 20

/** Maximum milliseconds between two tries. The time doubles with each try, up to the second number. */
const [firstWaitMs, lastWaitMs] = [2, 64]

/**
 * Retries a change that competes with other nodes. Each node waits for a random time, because nodes that retry at the same
 * time would collide again.
 *
 * @throws LimitError (503) after too many failed tries.
 */
export async function retryOnConflict<Result>(change: () => Promise<Result | typeof tooLate>): Promise<Result> {
  for (let tries = 0; tries < maxTries; tries++) {
    // oxlint-disable-next-line no-await-in-loop
    const result = await change()
    if (result !== tooLate) return result
    // oxlint-disable-next-line no-await-in-loop
    await sleep(Math.random() * Math.min(firstWaitMs * 2 ** tries, lastWaitMs))
  }
  throw new LimitError('unavailable', 'Too many nodes change the same item at once')
}
