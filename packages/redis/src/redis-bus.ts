import { type Bus, InProcessBus } from '@toolwright/core/store'
import type { Client } from './servers.js'
import type { StoreConnection } from './store-connection.js'
import type { Subscriptions } from './subscriptions.js'

/** What a node tells the others that could not tell them something: no message is empty. */
const gap = ''

/** Tells those on this node at once, and the others over Redis: an outage keeps nothing from the node's own clients. */
export class RedisBus<Message> implements Bus<Message> {
  readonly #here = new InProcessBus<Message>()
  #listeners = 0
  #stopThere: () => void = () => undefined
  /** Others were not told of something, and not that they were not. */
  #hasFailed = false

  constructor(
    private readonly connection: StoreConnection,
    private readonly subscriptions: Subscriptions,
    private readonly channel: string,
  ) {
    connection.onOpen((client) => this.#tellOfGap(client))
  }

  /** Rejects when other nodes are not told, or when listeners on this one throw. */
  async publish(message: Message): Promise<void> {
    const telling = this.#publishThere(message)
    try {
      this.#here.publish(message)
    } finally {
      await telling
    }
  }

  subscribe(listener: (message: Message) => void, onGap?: () => void): () => void {
    const stopHere = this.#here.subscribe(listener, onGap)
    if (this.#listeners === 0) this.#stopThere = this.#subscribeThere()
    this.#listeners++
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      stopHere()
      this.#listeners--
      if (this.#listeners === 0) this.#stopThere()
    }
  }

  async #publishThere(message: Message): Promise<void> {
    try {
      await this.connection.run(async (client) => {
        await this.#send(client, JSON.stringify(message))
        // Also without an outage: a connection refuses what is more than it takes at once.
        await this.#tellOfGap(client)
      })
    } catch (error) {
      this.#hasFailed = true
      throw error
    }
  }

  #send(client: Client, text: string): Promise<number> {
    return client.publish(this.channel, `${this.subscriptions.node} ${text}`)
  }

  #subscribeThere(): () => void {
    const onGap = (): void => this.#here.gap()
    const onMessage = (text: string): void => (text === gap ? onGap() : this.#here.publish(JSON.parse(text) as Message))
    return this.subscriptions.add(this.channel, { onMessage, onGap })
  }

  async #tellOfGap(client: Client): Promise<void> {
    if (!this.#hasFailed) return
    // Not afterwards: what fails meanwhile is for the next time.
    this.#hasFailed = false
    try {
      await this.#send(client, gap)
    } catch (error) {
      this.#hasFailed = true
      throw error
    }
  }
}
