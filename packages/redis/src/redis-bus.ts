import { type Bus, InProcessBus } from '@toolwright/core/store'
import type { Client } from './common-servers.js'
import type { StoreConnection } from './store-connection.js'
import type { Subscriptions } from './subscriptions.js'

/** Gap notice: an empty payload says that messages were lost. No other message is empty. */
const gap = ''

/**
 * Bus that delivers messages to listeners on this node at once, and to other nodes over Redis. During an outage, local
 * listeners still get messages.
 */
export class RedisBus<Message> implements Bus<Message> {
  readonly #here = new InProcessBus<Message>()
  #listeners = 0
  #stopThere: () => void = () => undefined
  /** Whether a publish failed, and its gap notice has not been sent yet. */
  #hasFailed = false

  constructor(
    private readonly connection: StoreConnection,
    private readonly subscriptions: Subscriptions,
    private readonly channel: string,
  ) {
    connection.onOpen((client) => this.#notifyGap(client))
  }

  /** Rejects if the message was not sent to other nodes, or if a listener on this node throws. */
  async publish(message: Message): Promise<void> {
    const publishing = this.#publishThere(message)
    try {
      this.#here.publish(message)
    } finally {
      await publishing
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
        // The notice is needed without an outage, too: a connection with a full queue rejects messages.
        await this.#notifyGap(client)
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

  async #notifyGap(client: Client): Promise<void> {
    if (!this.#hasFailed) return
    // Reset before sending: a publish that fails meanwhile needs another notice.
    this.#hasFailed = false
    try {
      await this.#send(client, gap)
    } catch (error) {
      this.#hasFailed = true
      throw error
    }
  }
}
