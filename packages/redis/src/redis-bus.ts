import { type Bus, InProcessBus } from '@toolwright/core/internal'
import type { Connection } from './connection.js'
import type { Subscriptions } from './subscriptions.js'

/** Tells those on this node at once, and the others over Redis: an outage keeps nothing from the node's own clients. */
export class RedisBus<Message> implements Bus<Message> {
  readonly #here = new InProcessBus<Message>()
  #listeners = 0
  #stopThere: () => void = () => undefined

  constructor(
    private readonly connection: Connection,
    private readonly subscriptions: Subscriptions,
    private readonly channel: string,
  ) {}

  /** Rejects when other nodes are not told, or when listeners on this one throw. */
  async publish(message: Message): Promise<void> {
    const text = `${this.subscriptions.node} ${JSON.stringify(message)}`
    const telling = this.connection.run((client) => client.publish(this.channel, text))
    try {
      this.#here.publish(message)
    } finally {
      await telling
    }
  }

  subscribe(listener: (message: Message) => void): () => void {
    const stopHere = this.#here.subscribe(listener)
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

  #subscribeThere(): () => void {
    const onMessage = (text: string): void => this.#here.publish(JSON.parse(text) as Message)
    return this.subscriptions.add(this.channel, { onMessage })
  }
}
