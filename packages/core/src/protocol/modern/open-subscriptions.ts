import { subjectKey } from '../../context/principal.js'
import { LimitError } from '../../errors/limit-error.js'
import type { Peer } from '../peer.js'
import type { RequestCall } from '../request-call.js'

interface SubscriptionLimits {
  readonly maxSubscriptions: number
  readonly maxSubscriptionsPerPrincipal: number
}

/** Counts open subscriptions. Unauthenticated callers over HTTP have no limit per caller. */
export class OpenSubscriptions {
  #open = 0
  #rejected = 0
  readonly #byClient = new Map<string | Peer, number>()

  constructor(private readonly limits: SubscriptionLimits) {}

  /** Counts a new subscription. @returns A function to call at its end. @throws LimitError if the limit is reached. */
  begin({ context, peer }: RequestCall): () => void {
    const { maxSubscriptions, maxSubscriptionsPerPrincipal } = this.limits
    const client = subjectKey(context.principal) ?? peer
    if (this.#open >= maxSubscriptions || this.#countOf(client) >= maxSubscriptionsPerPrincipal) {
      this.#rejected++
      throw new LimitError('unavailable', 'Too many subscriptions are open', 10_000)
    }
    this.#count(client, 1)
    return () => this.#count(client, -1)
  }

  get count(): number {
    return this.#open
  }

  /** Number of subscriptions that were rejected since the start. */
  get rejected(): number {
    return this.#rejected
  }

  #countOf(client: string | Peer | null): number {
    return client === null ? 0 : (this.#byClient.get(client) ?? 0)
  }

  #count(client: string | Peer | null, change: 1 | -1): void {
    this.#open += change
    if (client === null) return
    const count = this.#countOf(client) + change
    if (count === 0) this.#byClient.delete(client)
    else this.#byClient.set(client, count)
  }
}
