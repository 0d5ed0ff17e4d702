import { subjectKey } from '../../context/principal.js'
import { LimitError } from '../../errors/limit-error.js'
import type { Peer } from '../peer.js'
import type { RequestCall } from '../request-call.js'

interface SubscriptionLimits {
  readonly maxSubscriptions: number
  readonly maxSubscriptionsPerPrincipal: number
}

/** Counts the subscriptions that are open. Callers over HTTP that nobody authenticated cannot be told apart. */
export class OpenSubscriptions {
  #open = 0
  #refused = 0
  readonly #byClient = new Map<string | Peer, number>()

  constructor(private readonly limits: SubscriptionLimits) {}

  /** @returns To be called when it ends. @throws LimitError when there are too many. */
  begin({ context, peer }: RequestCall): () => void {
    const { maxSubscriptions, maxSubscriptionsPerPrincipal } = this.limits
    const client = subjectKey(context.principal) ?? peer
    if (this.#open >= maxSubscriptions || this.#countOf(client) >= maxSubscriptionsPerPrincipal) {
      this.#refused++
      throw new LimitError('unavailable', 'Too many subscriptions are open', 10_000)
    }
    this.#count(client, 1)
    return () => this.#count(client, -1)
  }

  /** How many are open. */
  get count(): number {
    return this.#open
  }

  /** Since the start. */
  get refused(): number {
    return this.#refused
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
