import type { McpSubscription, SubscriptionFilter } from '@modelcontextprotocol/client'
import type { Connection } from '../connection.js'
import { ServerError } from '../errors.js'
import { delay } from '../timing.js'

export interface ListenMember {
  readonly what: string
  readonly filter: SubscriptionFilter
  readonly isEnded: () => boolean
  /** Called after a gap in which notifications may have been lost. */
  readonly missed: () => void
  /** Called when the server ends the request, and cannot be subscribed to again. */
  readonly failed: (error: unknown) => void
}

interface Group {
  readonly members: Set<ListenMember>
  filter: SubscriptionFilter
  listening: McpSubscription | null
}

/** Maximum number of attempts to subscribe again, after a server has ended a request. */
const maxAttempts = 5

/**
 * The `subscriptions/listen` requests of a client. Subscriptions share a request, because a browser opens only six
 * connections to a server over HTTP/1.1.
 */
export class SharedListen {
  readonly #groups = new Set<Group>()
  #turn: Promise<unknown> = Promise.resolve()

  constructor(private readonly connection: Connection) {}

  add(member: ListenMember): Promise<void> {
    return this.#inTurn(() => this.#join(member))
  }

  /** Ends a subscription. Its request ends with the last subscription. */
  async remove(member: ListenMember): Promise<void> {
    for (const group of this.#groups) if (group.members.delete(member)) await this.#closeIfEmpty(group)
  }

  async #closeIfEmpty(group: Group): Promise<void> {
    if (group.members.size > 0) return
    this.#groups.delete(group)
    await group.listening?.close().catch(() => undefined)
  }

  #inTurn<Value>(change: () => Promise<Value>): Promise<Value> {
    const changed = this.#turn.then(change)
    this.#turn = changed.catch(() => undefined)
    return changed
  }

  async #join(member: ListenMember): Promise<void> {
    const [group] = this.#groups
    if (group === undefined) return this.#open(newGroup(), member)
    if (isSame(union([group.filter, member.filter]), group.filter)) return this.#enter(group, member)
    try {
      await this.#open(group, member)
    } catch (error) {
      if (!(error instanceof ServerError)) throw error
      // The server may reject one request for many resources, but accept two requests.
      await this.#open(newGroup(), member)
    }
  }

  /** Opens the request of a group, also for a new member, and ends the group's old request. */
  async #open(group: Group, member: ListenMember): Promise<void> {
    const { listening: old } = group
    // Leaves out the notifications that only ended subscriptions have asked for.
    const filter = union([...group.members, member].map((each) => each.filter))
    const listening = await this.connection.request(member.what, {}, (official, { timeout }) =>
      official.listen(filter, { timeout }),
    )
    Object.assign(group, { filter, listening })
    this.#groups.add(group)
    void this.#watch(group, listening)
    await old?.close().catch(() => undefined)
    await this.#enter(group, member)
  }

  async #enter(group: Group, member: ListenMember): Promise<void> {
    if (!member.isEnded()) group.members.add(member)
    await this.#closeIfEmpty(group)
  }

  async #watch(group: Group, listening: McpSubscription): Promise<void> {
    if ((await listening.closed) === 'local') return
    await this.#inTurn(async () => {
      if (group.listening === listening) await this.#renew(group)
    })
  }

  async #renew(group: Group): Promise<void> {
    const { members } = group
    for (let attempt = 1; ; attempt++) {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await delay(100 * 2 ** attempt)
      const [member] = members
      if (member === undefined) return
      try {
        // oxlint-disable-next-line no-await-in-loop
        await this.#open(group, member)
        return members.forEach(({ missed }) => missed())
      } catch (error) {
        if (attempt < maxAttempts) continue
        this.#groups.delete(group)
        return members.forEach(({ failed }) => failed(error))
      }
    }
  }
}

function newGroup(): Group {
  return { members: new Set(), filter: {}, listening: null }
}

function union(filters: readonly SubscriptionFilter[]): SubscriptionFilter {
  const all: SubscriptionFilter = Object.assign({}, ...filters)
  const uris = new Set(filters.flatMap(({ resourceSubscriptions = [] }) => resourceSubscriptions))
  return uris.size === 0 ? all : { ...all, resourceSubscriptions: [...uris] }
}

function isSame(some: SubscriptionFilter, others: SubscriptionFilter): boolean {
  return JSON.stringify(some) === JSON.stringify(others)
}
