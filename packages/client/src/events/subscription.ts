import type { Client, SubscriptionFilter } from '@modelcontextprotocol/client'
import type { Connection, OfficialOptions } from '../connection.js'
import { ClientError } from '../errors.js'
import type { RequestOptions } from '../options.js'
import { within } from '../timing.js'
import { EventQueue } from './event-queue.js'
import type { ListenMember, SharedListen } from './shared-listen.js'

export interface SubscriptionInit<Event> {
  readonly connection: Connection
  readonly shared: SharedListen
  readonly what: string
  /** Returns the notifications to request from a modern server; `null` if the server does not send them. */
  readonly filter: (official: Client) => SubscriptionFilter | null
  /** Subscribes with a legacy server. */
  readonly subscribe: (official: Client, options: OfficialOptions) => Promise<void>
  readonly unsubscribe: (official: Client, options: OfficialOptions) => Promise<void>
  readonly missed: (queue: EventQueue<Event>) => void
  readonly ended: (queue: EventQueue<Event>) => void
}

/** A subscription to notifications of the server, which is renewed after a lost connection. */
export class Subscription<Event> {
  readonly queue: EventQueue<Event>
  readonly #unwatch: () => void
  #member: ListenMember | null = null
  #isEnded = false

  constructor(
    private readonly init: SubscriptionInit<Event>,
    private readonly options: RequestOptions,
  ) {
    this.queue = new EventQueue(() => this.#end())
    this.#unwatch = init.connection.watch({
      reopened: () => this.#reopened(),
      closed: (error) => void this.queue.end(error),
    })
    options.signal?.addEventListener('abort', this.#abort, { once: true })
  }

  async open(): Promise<EventQueue<Event>> {
    try {
      await this.#subscribe(this.options)
      return this.queue
    } catch (error) {
      await this.queue.end()
      throw error
    }
  }

  readonly #abort = (): void => void this.queue.end(this.options.signal?.reason)

  async #subscribe(options: RequestOptions): Promise<void> {
    const { connection, what, filter, subscribe } = this.init
    await connection.request(what, options, async (official, limits) => {
      const wanted = filter(official)
      if (wanted === null)
        throw new ClientError(`${what} failed: the server does not send these notifications.`, 'unsupported')
      if (official.getProtocolEra() !== 'modern') return subscribe(official, limits)
      if (Object.keys(wanted).length === 0) return
      const member = this.#toMember(wanted)
      this.#member = member
      await within(this.init.shared.add(member), { what, timeoutMs: limits.timeout, signal: limits.signal })
    })
  }

  #toMember(filter: SubscriptionFilter): ListenMember {
    return {
      what: this.init.what,
      filter,
      isEnded: () => this.#isEnded,
      missed: () => this.init.missed(this.queue),
      failed: (error) => void this.queue.end(error),
    }
  }

  /** Renews a legacy subscription. The request of modern subscriptions is renewed when its stream ends. */
  #reopened(): void {
    if (this.init.connection.official.getProtocolEra() === 'modern') return
    this.#subscribe({}).then(
      () => this.init.missed(this.queue),
      (error: unknown) => this.queue.end(error),
    )
  }

  async #end(): Promise<void> {
    const { connection, shared, what, unsubscribe, ended } = this.init
    this.#isEnded = true
    this.#unwatch()
    this.options.signal?.removeEventListener('abort', this.#abort)
    ended(this.queue)
    if (this.#member !== null) await shared.remove(this.#member)
    else if (connection.transport !== null && !connection.isClosed) {
      await connection.request(what, { timeoutMs: 5000 }, unsubscribe).catch(() => undefined)
    }
  }
}
