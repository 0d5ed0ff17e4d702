import type { MaybePromise } from '../timing/maybe-promise.js'

/** `first`: the proof is new. `used`: the proof was used before. `full`: the store is full. */
export type ProofUse = 'first' | 'used' | 'full'

/**
 * Stores used DPoP proofs, so that a proof cannot be replayed (RFC 9449, section 11.1). The default store is local to the
 * process. With a shared store, a process also detects proofs that were used in another process.
 */
export interface ProofStore {
  /**
   * Marks a proof as used, atomically: only the first of two concurrent requests with the same proof gets `first`. If this method
   * rejects or takes longer than a second, the request is rejected and the client is asked to retry.
   *
   * @param id Digest of the proof's `jti` and key: 44 characters.
   * @param keptMs Milliseconds for which the proof must be stored. After that, the proof has expired.
   * @param maxProofs Maximum number of stored proofs. Never evict a proof to make room: an evicted proof could be replayed.
   */
  use(id: string, keptMs: number, maxProofs: number): MaybePromise<ProofUse>
}
