import { type ErrorLog, logFailure } from './errors/log-failure.js'

/** Carries what happens to all who listen. */
export interface Bus<Message> {
  publish(message: Message): void | Promise<void>
  /** @returns Ends the subscription. */
  subscribe(listener: (message: Message) => void): () => void
}

/** The embedded default: within this process. A listener that throws keeps nothing from the others. */
export class InProcessBus<Message> implements Bus<Message> {
  readonly #listeners = new Set<(message: Message) => void>()

  /** @throws AggregateError of what listeners threw, once all have heard. */
  publish(message: Message): void {
    const thrown: unknown[] = []
    for (const listener of this.#listeners) {
      try {
        listener(message)
      } catch (error) {
        thrown.push(error)
      }
    }
    if (thrown.length > 0) throw new AggregateError(thrown, 'Listeners of a bus failed')
  }

  subscribe(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
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
