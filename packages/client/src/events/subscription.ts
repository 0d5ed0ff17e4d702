import type { Client, McpSubscription, SubscriptionFilter } from '@modelcontextprotocol/client'
import type { Connection, OfficialOptions } from '../connection.js'
import { ClientError } from '../errors.js'
import type { RequestOptions } from '../options.js'
import { delay } from '../timing.js'
import { EventQueue } from './event-queue.js'

export interface SubscriptionInit<Event> {
  readonly connection: Connection
  /** Name of the subscription in messages: `The subscription to changes`. */
  readonly what: string
  /** Returns the notifications to request from a modern server; `null` if the server does not send them. */
  readonly filter: (official: Client) => SubscriptionFilter | null
  /** Subscribes with a legacy server. */
  readonly subscribe: (official: Client, options: OfficialOptions) => Promise<void>
  readonly unsubscribe: (official: Client, options: OfficialOptions) => Promise<void>
  /** Called after a gap in which notifications may have been lost. */
  readonly missed: (queue: EventQueue<Event>) => void
  /** Called when the subscription has ended. */
  readonly ended: (queue: EventQueue<Event>) => void
}

/** Maximum number of attempts to subscribe again, after a server has ended a subscription. */
const maxAttempts = 5

/** A subscription to notifications of the server, which is renewed after a lost connection. */
export class Subscription<Event> {
  readonly queue: EventQueue<Event>
  readonly #unwatch: () => void
  #listening: McpSubscription | null = null
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

  /** Resolves when the server has confirmed the subscription. */
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
      // The request is sent without the signal: aborting the signal later would end the subscription.
      const listening = await official.listen(wanted, { timeout: limits.timeout })
      this.#listening = listening
      void this.#renewAfter(listening)
      if (this.#isEnded) await listening.close()
    })
  }

  async #renewAfter({ closed }: McpSubscription): Promise<void> {
    if ((await closed) !== 'local' && !this.#isEnded) await this.#renew()
  }

  /** Subscribes again after a modern server has ended the subscription, or the connection was lost. */
  async #renew(): Promise<void> {
    for (let attempt = 1; !this.#isEnded; attempt++) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
        await delay(100 * 2 ** attempt)
        // oxlint-disable-next-line no-await-in-loop
        if (!this.#isEnded) await this.#subscribe({})
        return this.init.missed(this.queue)
      } catch (error) {
        // oxlint-disable-next-line no-await-in-loop
        if (attempt === maxAttempts) await this.queue.end(error)
      }
    }
  }

  /** Renews a legacy subscription. A modern subscription is renewed when its stream ends. */
  #reopened(): void {
    if (this.init.connection.official.getProtocolEra() === 'modern') return
    this.#subscribe({}).then(
      () => this.init.missed(this.queue),
      (error: unknown) => this.queue.end(error),
    )
  }

  async #end(): Promise<void> {
    const { connection, what, unsubscribe, ended } = this.init
    this.#isEnded = true
    this.#unwatch()
    this.options.signal?.removeEventListener('abort', this.#abort)
    ended(this.queue)
    if (this.#listening !== null) await this.#listening.close().catch(() => undefined)
    else if (connection.transport !== null && !connection.isClosed) {
      await connection.request(what, { timeoutMs: 5000 }, unsubscribe).catch(() => undefined)
    }
  }
}
