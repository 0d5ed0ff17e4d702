import { type ErrorLog, logFailure } from './errors/log-failure.js'
import { requireNoPromise } from './errors/run-fenced.js'
import type { MaybePromise } from './timing/maybe-promise.js'

/** Carries messages to all listeners. */
export interface Bus<Message> {
  publish(message: Message): MaybePromise<void>
  /**
   * @param onGap Must be called when messages could have been missed, such as after a reconnect. Listeners then reload the state
   * that the messages describe. A bus that cannot lose messages need not call `onGap`.
   * @returns A function that ends the subscription.
   */
  subscribe(listener: (message: Message) => void, onGap?: () => void): () => void
}

/** The default bus, which reaches only listeners in this process. A listener that throws does not affect other listeners. */
export class InProcessBus<Message> implements Bus<Message> {
  readonly #listeners = new Set<Listener<Message>>()

  /** @throws AggregateError with the errors of listeners, after all listeners were called. A returned promise is an error. */
  publish(message: Message): void {
    this.#dispatch(({ onMessage }) => onMessage(message))
  }

  /**
   * Notifies all listeners that messages could have been missed. Meant for buses that receive messages of other processes.
   *
   * @throws AggregateError as {@link publish} does.
   */
  gap(): void {
    this.#dispatch(({ onGap }) => onGap?.())
  }

  subscribe(onMessage: (message: Message) => void, onGap?: () => void): () => void {
    const listener = { onMessage, onGap }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #dispatch(deliver: (listener: Listener<Message>) => unknown): void {
    const thrown: unknown[] = []
    for (const listener of this.#listeners) {
      try {
        requireNoPromise(deliver(listener), 'A listener of a bus')
      } catch (error) {
        thrown.push(error)
      }
    }
    if (thrown.length > 0) throw new AggregateError(thrown, 'Some listeners of a bus failed')
  }
}

interface Listener<Message> {
  readonly onMessage: (message: Message) => void
  readonly onGap: (() => void) | undefined
}

/** Publishes a message. Errors are logged: they must not fail the operation that publishes. */
export async function publishTo<Message>(
  bus: Bus<Message>,
  message: Message,
  log: ErrorLog,
  fields: object,
): Promise<void> {
  try {
    await bus.publish(message)
  } catch (error) {
    logFailure(log, error, fields, 'publishing to a bus failed, so some clients are not notified of a change')
  }
}
