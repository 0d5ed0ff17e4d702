import { type ErrorLog, logFailure } from './errors/log-failure.js'

/** Carries what happens to all who listen. */
export interface Bus<Message> {
  publish(message: Message): void | Promise<void>
  /**
   * @param onGap To be called when messages may have been missed, such as when a connection was down and is there again:
   * who listens looks then for what it can find out otherwise. A bus that misses none never calls it.
   * @returns Ends the subscription.
   */
  subscribe(listener: (message: Message) => void, onGap?: () => void): () => void
}

/** The embedded default: within this process. A listener that throws keeps nothing from the others. */
export class InProcessBus<Message> implements Bus<Message> {
  readonly #listeners = new Set<Listener<Message>>()

  /** @throws AggregateError of what listeners threw, once all have heard. */
  publish(message: Message): void {
    this.#tell(({ onMessage }) => onMessage(message))
  }

  /**
   * Tells all who listen that messages may have been missed: for a bus that brings those of other processes here.
   *
   * @throws AggregateError as above
   */
  gap(): void {
    this.#tell(({ onGap }) => onGap?.())
  }

  subscribe(onMessage: (message: Message) => void, onGap?: () => void): () => void {
    const listener = { onMessage, onGap }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(tell: (listener: Listener<Message>) => void): void {
    const thrown: unknown[] = []
    for (const listener of this.#listeners) {
      try {
        tell(listener)
      } catch (error) {
        thrown.push(error)
      }
    }
    if (thrown.length > 0) throw new AggregateError(thrown, 'Listeners of a bus failed')
  }
}

interface Listener<Message> {
  readonly onMessage: (message: Message) => void
  readonly onGap: (() => void) | undefined
}

/** Publishes. What goes wrong is logged: whoever made the message has done its part. */
export async function publishTo<Message>(
  bus: Bus<Message>,
  message: Message,
  log: ErrorLog,
  fields: object,
): Promise<void> {
  try {
    await bus.publish(message)
  } catch (error) {
    logFailure(log, error, fields, 'a bus failed, so some clients are not told of a change')
  }
}
