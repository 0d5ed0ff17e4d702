import type { Logger } from 'pino'
import { Outage } from '../../errors/outage.js'
import type { EventStore, StoredEvent, StreamKey, StreamPage } from './event-store.js'

/** An event store of the application's own. What it fails with is logged here, and not once for each stream. */
export class OwnEventStore implements EventStore {
  readonly #outage: Outage

  constructor(
    private readonly store: EventStore,
    log: Logger,
  ) {
    this.#outage = new Outage('the event store', 'streams are cut, and clients are told to try again', log)
  }

  append(key: StreamKey, message: string | null, isLast: boolean, caller?: string): Promise<void> {
    return this.#ask(() => this.store.append(key, message, isLast, caller))
  }

  read(key: StreamKey, after: number, max: number): Promise<StreamPage | undefined> {
    return this.#ask(() => this.store.read(key, after, max), checkPage)
  }

  watch(key: StreamKey, onAppend: () => void): () => void {
    try {
      return this.store.watch(key, onAppend)
    } catch (error) {
      this.#outage.begin(error)
      throw error
    }
  }

  forget(sessionId: string): Promise<void> {
    return this.#ask(() => this.store.forget(sessionId))
  }

  async #ask<Answer>(question: () => Promise<Answer>, check?: (answer: Answer) => void): Promise<Answer> {
    try {
      const answer = await question()
      check?.(answer)
      this.#outage.end()
      return answer
    } catch (error) {
      this.#outage.begin(error)
      throw error
    }
  }
}

/** What readers would stumble over: they tell nobody, as the store has told the log. */
function checkPage(page: StreamPage | undefined): void {
  if (page === undefined || (Array.isArray(page?.events) && page.events.every(isEvent))) return
  throw new TypeError('read() gave no page: an object whose events have a sequence each')
}

function isEvent(event: StoredEvent | null): boolean {
  return typeof event?.sequence === 'number'
}
