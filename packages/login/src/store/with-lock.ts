import { setTimeout as sleep } from 'node:timers/promises'
import type { SealedStore } from './sealed-store.js'

/** Lifetime in seconds of a lock: longer than the provider can take to answer. */
export const lockSeconds = 30

export const waitSeconds = 15
export const pollMs = 50

/** Thrown if another request has been holding a lock for too long. The client has to retry. */
export class LockPending extends Error {}

/** Runs a function while no other request, at any node, runs one with the same key. @throws LockPending */
export async function withLock<Result>(store: SealedStore, key: string, run: () => Promise<Result>): Promise<Result> {
  const end = Date.now() + waitSeconds * 1000
  // oxlint-disable-next-line no-await-in-loop
  while (!(await store.add(key, true, lockSeconds))) {
    if (Date.now() >= end) throw new LockPending()
    // oxlint-disable-next-line no-await-in-loop
    await sleep(pollMs)
  }
  try {
    return await run()
  } finally {
    await store.take(key)
  }
}
