import { defaultLimits, type Limits } from '../../limits/limits.js'
import { Quota } from '../../limits/quota.js'
import type { RoundEntry, RoundRunKey, RoundStore } from './round-store.js'

type RoundLimits = Pick<Limits, 'maxRoundBytes' | 'maxRoundBytesPerPrincipal' | 'maxRounds' | 'maxRoundsPerPrincipal'>

interface Kept {
  readonly caller: string | null
  readonly endsAt: number
  readonly steps: Map<string, string>
  response: string | null
  runId: string | null
  bytes: number
}

/**
 * The default store, in memory. Rounds are removed only when they expire: at a limit, new rounds are rejected. A run in this
 * process cannot be lost, so it is in progress until it ends.
 */
export class InMemoryRoundStore implements RoundStore {
  /** Rounds in the order of their first run. They have the same lifetime, so they expire in this order. */
  readonly #rounds = new Map<string, Kept>()
  readonly #count: Quota
  readonly #bytes: Quota
  readonly limits: RoundLimits

  constructor(
    limits: Partial<RoundLimits> = {},
    private readonly now: () => number = () => performance.now(),
  ) {
    this.limits = { ...defaultLimits, ...limits }
    this.#count = new Quota(this.limits.maxRounds, this.limits.maxRoundsPerPrincipal)
    this.#bytes = new Quota(this.limits.maxRoundBytes, this.limits.maxRoundBytesPerPrincipal)
  }

  async enter({ roundId, runId }: RoundRunKey, caller: string | null, _leaseMs: number, keptMs: number) {
    this.#deleteExpired()
    const kept = this.#rounds.get(roundId) ?? this.#create(roundId, caller, keptMs)
    return kept === null ? ({ status: 'full' } as const) : enter(kept, runId)
  }

  async renew(): Promise<boolean> {
    return true
  }

  async storeStep({ roundId }: RoundRunKey, _caller: string | null, name: string, result: string) {
    const kept = this.#rounds.get(roundId)
    // The state of an expired round is not accepted any more, so nothing can repeat it.
    if (kept === undefined || kept.steps.has(name)) return 'stored'
    if (!this.#grow(kept, Buffer.byteLength(name) + Buffer.byteLength(result))) return 'full'
    kept.steps.set(name, result)
    return 'stored'
  }

  async end({ roundId, runId }: RoundRunKey, _caller: string | null, response: string | null): Promise<boolean> {
    const kept = this.#rounds.get(roundId)
    if (kept?.runId !== runId) return true
    if (response !== null && !this.#grow(kept, Buffer.byteLength(response))) return false
    kept.response = response
    kept.runId = null
    return true
  }

  get size(): number {
    this.#deleteExpired()
    return this.#rounds.size
  }

  /** Number of bytes that count toward `maxRoundBytes`. */
  get bytes(): number {
    this.#deleteExpired()
    return this.#bytes.taken
  }

  #create(roundId: string, caller: string | null, keptMs: number): Kept | null {
    if (!this.#count.allows(caller) || !this.#bytes.allows(caller)) return null
    const endsAt = this.now() + keptMs
    const kept: Kept = { caller, endsAt, steps: new Map(), response: null, runId: null, bytes: 0 }
    this.#rounds.set(roundId, kept)
    this.#count.take(caller)
    return kept
  }

  #grow(kept: Kept, bytes: number): boolean {
    if (!this.#bytes.allows(kept.caller, bytes)) return false
    this.#bytes.take(kept.caller, bytes)
    kept.bytes += bytes
    return true
  }

  /** Removes expired rounds. Called on each use of the store, because the store has no timer. */
  #deleteExpired(): void {
    const now = this.now()
    for (const [roundId, { caller, endsAt, bytes }] of this.#rounds) {
      if (now < endsAt) return
      this.#rounds.delete(roundId)
      this.#count.take(caller, -1)
      this.#bytes.take(caller, -bytes)
    }
  }
}

function enter(kept: Kept, runId: string): RoundEntry {
  const { response } = kept
  if (response === null && kept.runId !== null) return { status: 'running' }
  const steps = Object.fromEntries(kept.steps)
  if (response !== null) return { status: 'answered', response, steps }
  kept.runId = runId
  return { status: 'entered', steps }
}
