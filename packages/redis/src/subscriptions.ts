import { randomUUID } from 'node:crypto'
import { logFailure } from '@toolwright/core/host'
import type { NodeClient } from './common-servers.js'
import { Connection, type ConnectionInit } from './connection.js'
import type { StoreConnection } from './store-connection.js'

interface Subscriber {
  readonly onMessage: (text: string) => void
  /** Called when the subscription has begun. Earlier messages were not received. */
  readonly onBegin?: () => void
  /** Called when the subscription has begun again, or late: messages may have been missed. */
  readonly onGap?: () => void
}

export const noSender = '-'

/** Messages of other nodes. Subscriptions outlive the connection. */
export class Subscriptions {
  readonly node: string = randomUUID()
  readonly #channels = new Map<string, Set<Subscriber>>()
  readonly #asking = new Map<string, Promise<void>>()
  readonly #connection: Connection<NodeClient>
  #onUnused: (() => Promise<void>) | null = null
  #hasMissed = false

  /** @param other Connection that subscribers use to read the state again after a gap. */
  constructor(
    private readonly init: Omit<ConnectionInit<NodeClient>, 'purpose' | 'probe' | 'isKept'>,
    private readonly other: StoreConnection,
  ) {
    this.#connection = new Connection({
      ...init,
      purpose: 'the messages of other nodes',
      isKept: false,
      probe: (client) => client.ping(),
    })
    this.#connection.onOpen((client) => this.#resume(client))
    other.onOpen(async () => this.#notifyGap())
  }

  /**
   * Calls back when there are no subscribers any more. A server subscribes until it is closed. @returns When the callback has
   * ended, if it was called at once.
   */
  async whenUnused(onUnused: () => Promise<void>): Promise<void> {
    this.#onUnused = onUnused
    if (this.#channels.size === 0) await onUnused()
  }

  open(): Promise<void> {
    return this.#connection.open()
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  replace(reason: string): void {
    this.#connection.replace(reason)
  }

  atNode<Answer>(command: (client: NodeClient) => Promise<Answer>): Promise<Answer> {
    return this.#connection.run(command)
  }

  check(): Promise<unknown> {
    return this.#connection.check()
  }

  /** Rejects if the user may not subscribe to the channel. */
  async tryOut(channel: string): Promise<void> {
    const ignore = (): void => undefined
    await this.#connection.run((client) => client.subscribe(channel, ignore))
    await this.#connection.run((client) => client.unsubscribe(channel, ignore))
  }

  add(channel: string, subscriber: Subscriber): () => void {
    const known = this.#channels.get(channel)
    if (known === undefined) this.#channels.set(channel, new Set([subscriber]))
    else known.add(subscriber)
    this.#ask(channel, async (client) => {
      // Subscribes even if the channel has subscribers, because the subscription may not have begun yet. If it has
      // begun, the call sends nothing.
      await client.subscribe(channel, this.#receive)
      subscriber.onBegin?.()
    })
    return () => this.#remove(channel, subscriber)
  }

  #remove(channel: string, subscriber: Subscriber): void {
    const subscribers = this.#channels.get(channel)
    if (subscribers?.delete(subscriber) !== true || subscribers.size > 0) return
    this.#channels.delete(channel)
    this.#ask(channel, async (client) => {
      // Skips the command if there is a new subscriber by now.
      if (!this.#channels.has(channel)) await client.unsubscribe(channel, this.#receive)
    })
    if (this.#channels.size === 0) void this.#onUnused?.()
  }

  /**
   * Runs the requests of a channel one after the other: the client treats a channel as subscribed too early, before the
   * subscription is complete. After a failed request, the next connection subscribes again.
   */
  #ask(channel: string, run: (client: NodeClient) => Promise<void>): void {
    const before = this.#asking.get(channel)
    const running = before === undefined ? this.#connection.run(run) : before.then(() => this.#connection.run(run))
    const asking = running.catch(() => undefined)
    this.#asking.set(channel, asking)
    void asking.then(() => this.#asking.get(channel) === asking && this.#asking.delete(channel))
  }

  async #resume(client: NodeClient): Promise<void> {
    const channels = [...this.#channels.keys()]
    if (channels.length > 0) await client.subscribe(channels, this.#receive)
    this.#hasMissed = true
    this.#notifyGap()
  }

  #notifyGap(): void {
    if (!this.#hasMissed || !this.other.isOpen) return
    this.#hasMissed = false
    for (const { onGap } of [...this.#channels.values()].flatMap((subscribers) => [...subscribers])) {
      this.#dispatch(() => onGap?.())
    }
  }

  readonly #receive = (message: string, channel: string): void => {
    const end = message.indexOf(' ')
    if (message.slice(0, end) === this.node) return
    const text = message.slice(end + 1)
    for (const { onMessage } of this.#channels.get(channel) ?? []) this.#dispatch(() => onMessage(text))
  }

  #dispatch(deliver: () => void): void {
    try {
      deliver()
    } catch (error) {
      logFailure(this.init.log, error, {}, 'a message of another node did not reach all listeners')
    }
  }
}
