import type { PartServices } from '@toolwright/core/extension'
import type { EventStore, StoredEvent, StreamPage } from './event-store.js'
import { InMemoryEventStore } from './in-memory-event-store.js'

/** Wraps an event store: if the store fails or times out, the client gets an error that asks for a retry. */
export function connectEventStore(store: EventStore, server: PartServices): EventStore {
  server.prepareStore(store)
  // The in-memory store cannot fail. A subclass can fail.
  if (Object.getPrototypeOf(store) === InMemoryEventStore.prototype) return store
  const appendAll = store.appendAll?.bind(store)
  const rejection = 'Streams are temporarily unavailable'
  const client = server.createStoreClient('the event store', rejection)
  const watching = server.createStoreClient('watching the event store', rejection)
  return {
    append: async (key, message, isLast, caller) => client.ask(() => store.append(key, message, isLast, caller), asIs),
    ...(appendAll && {
      appendAll: async (...all: Parameters<typeof appendAll>) => client.ask(() => appendAll(...all), asIs),
    }),
    read: async (key, after, max) => client.ask(() => store.read(key, after, max), readPage),
    // Uses a separate store client: a `watch` within this process can succeed during an outage, and would log the end of the
    // outage.
    watch: (key, onAppend) => {
      const end = watching.ask(() => store.watch(key, onAppend), asIs) as () => void
      // A session has to end even if its store fails.
      return () => server.runFenced(end, 'a subscription could not be ended')
    },
    delete: async (sessionId) => client.ask(() => store.delete(sessionId), asIs),
  }
}

function asIs<Answer>(answer: Answer): Answer {
  return answer
}

/** @throws TypeError for a value that is not a page: readers of the stream do not check the page. */
function readPage(page: StreamPage | undefined): StreamPage | undefined {
  if (page === undefined || (Array.isArray(page?.events) && page.events.every(isEvent))) return page
  throw new TypeError('read() did not return a page: an object with events, each of which has a sequence')
}

function isEvent(event: StoredEvent | null): boolean {
  return typeof event?.sequence === 'number'
}
