/** What a store says of a proof: it came for the first time, it came before, or there is no room to remember it. */
export type ProofUse = 'first' | 'used' | 'full'

/**
 * Remembers the DPoP proofs that were used, so that none is good twice (RFC 9449, section 11.1). The default holds them in
 * the memory of this process; one that several processes share knows at each of them what was used at any.
 */
export interface ProofStore {
  /**
   * Uses a proof, as one step: of two requests that bring the same one at once, one is the first. Should it reject, or
   * take longer than a second, nobody gets in: the client is told to try again.
   *
   * @param id A digest of the proof's `jti` and key: 44 characters.
   * @param keptMs Milliseconds for which it must not be forgotten. After them nobody takes the proof any more.
   * @param maxProofs Proofs that are remembered at most: forgetting some to make room would let them be used again.
   */
  use(id: string, keptMs: number, maxProofs: number): ProofUse | Promise<ProofUse>
}
