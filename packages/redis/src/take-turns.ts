import { setTimeout as sleep } from 'node:timers/promises'
import { LimitError } from '@toolwright/core'

/** What a try returns that came to nothing because another node was quicker. */
export const tooLate: unique symbol = Symbol('too late')

const maxTries = 20

/** Milliseconds from one try to the next, at most: twice as many each time, up to the second number. */
const [firstWaitMs, lastWaitMs] = [2, 64]

/**
 * Changes one thing that other nodes change, too. Each waits for a time of its own before it tries again: those that come
 * at once would else be in each other's way again and again.
 *
 * @throws LimitError (503) when it came to nothing each time.
 */
export async function takeTurns<Result>(change: () => Promise<Result | typeof tooLate>): Promise<Result> {
  for (let tries = 0; tries < maxTries; tries++) {
    // oxlint-disable-next-line no-await-in-loop
    const result = await change()
    if (result !== tooLate) return result
    // oxlint-disable-next-line no-await-in-loop
    await sleep(Math.random() * Math.min(firstWaitMs * 2 ** tries, lastWaitMs))
  }
  throw new LimitError('unavailable', 'Too many nodes change one thing at once')
}
