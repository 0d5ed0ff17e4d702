import type { ProofStore, ProofUse } from '@toolwright/core'
import { ExpiringMap } from './expiring-map.js'

/** In-memory proof store, used by default. */
export class InMemoryProofStore implements ProofStore {
  readonly #used = new ExpiringMap<true>({ maxEntries: Infinity, maxBytes: Infinity })

  /** Records that a proof was used. The method is synchronous, so that two uses of one proof cannot interleave. */
  use(id: string, keptMs: number, maxProofs: number): ProofUse {
    if (this.#used.get(id) === true) return 'used'
    if (this.#used.size >= maxProofs) return 'full'
    this.#used.set(id, true, Date.now() + keptMs)
    return 'first'
  }

  get size(): number {
    return this.#used.size
  }
}
