import type { ProofStore, ProofUse } from '@toolwright/core'
import { ExpiringMap } from './expiring-map.js'

/** The embedded default. */
export class InMemoryProofStore implements ProofStore {
  readonly #used = new ExpiringMap<true>({ maxEntries: Infinity, maxBytes: Infinity })

  /** At once: nothing comes between. */
  use(id: string, keptMs: number, maxProofs: number): ProofUse {
    if (this.#used.get(id) === true) return 'used'
    if (this.#used.size >= maxProofs) return 'full'
    this.#used.set(id, true, Date.now() + keptMs)
    return 'first'
  }

  /** Proofs that are remembered. */
  get size(): number {
    return this.#used.size
  }
}
