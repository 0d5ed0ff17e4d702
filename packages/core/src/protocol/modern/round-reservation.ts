import type { RoundRunKey, RoundStore } from './round-store.js'

/** The time for which no other run of a round can begin. It is extended while the run lasts. */
export class RoundReservation {
  isHeld = false
  isLost = false
  /** Time on the monotonic clock. */
  #endsAt = 0
  #renewal: NodeJS.Timeout | undefined = undefined

  constructor(
    private readonly store: RoundStore,
    private readonly key: RoundRunKey,
    private readonly leaseMs: number,
    private readonly onLost: () => void,
  ) {}

  begin(askedAt: number): void {
    const { leaseMs } = this
    this.isHeld = true
    this.#endsAt = askedAt + leaseMs
    this.#renewal = setInterval(() => void this.renew().catch(() => undefined), leaseMs / 3).unref()
  }

  /** Whether another node could have begun a run, because this node was blocked or cut off. */
  get hasEnded(): boolean {
    return this.isHeld && performance.now() >= this.#endsAt
  }

  async renew(): Promise<void> {
    const askedAt = performance.now()
    if (await this.store.renew(this.key, this.leaseMs)) this.#endsAt = askedAt + this.leaseMs
    else this.lose()
  }

  lose(): void {
    this.isLost = true
    clearInterval(this.#renewal)
    this.onLost()
  }

  end(): void {
    this.isHeld = false
    clearInterval(this.#renewal)
  }
}
