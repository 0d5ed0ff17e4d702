import { subjectKey } from '../../context/principal.js'
import { LimitError } from '../../errors/limit-error.js'
import { Quota } from '../../limits/quota.js'
import type { Peer } from '../peer.js'
import type { RequestCall } from '../request-call.js'

interface SubscriptionLimits {
  readonly maxSubscriptions: number
  readonly maxSubscriptionsPerPrincipal: number
}

/** Limits open subscriptions. Unauthenticated callers over HTTP have no limit per caller. */
export class OpenSubscriptions {
  readonly #open: Quota<string | Peer>
  #rejected = 0

  constructor({ maxSubscriptions, maxSubscriptionsPerPrincipal }: SubscriptionLimits) {
    this.#open = new Quota(maxSubscriptions, maxSubscriptionsPerPrincipal)
  }

  /**
   * Counts a new subscription. @returns A function to call when the subscription ends. @throws LimitError if the limit is
   * reached.
   */
  begin({ context, peer }: RequestCall): () => void {
    const client = subjectKey(context.principal) ?? peer
    if (!this.#open.allows(client)) {
      this.#rejected++
      throw new LimitError('unavailable', 'Too many subscriptions are open', 10_000)
    }
    this.#open.take(client)
    return () => this.#open.take(client, -1)
  }

  get count(): number {
    return this.#open.taken
  }

  get rejected(): number {
    return this.#rejected
  }
}
