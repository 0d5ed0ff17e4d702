import type { ServerPart } from '@toolwright/core/extension'
import { withMethods } from '@toolwright/core/options'
import { connectEventStore } from './connect-event-store.js'
import { connectSessionStore } from './connect-session-store.js'
import type { EventStore } from './event-store.js'
import { InMemoryEventStore } from './in-memory-event-store.js'
import { InMemorySessionStore } from './in-memory-session-store.js'
import { metricsOf, type SessionMetrics } from './session-metrics.js'
import type { SessionStore } from './session-store.js'
import { Sessions } from './sessions.js'

declare module '@toolwright/core' {
  interface ServerMetrics extends SessionMetrics {}
}

export const sessionOptions = {
  /**
   * Stores sessions of 2025-11-25 and older. Default: `InMemorySessionStore`.
   * @see docs/reference/event-streams.md#session-stores
   */
  sessionStore: withMethods<SessionStore>('`SessionStore`', ['create', 'get', 'update', 'touch', 'delete', 'attach']),
  /**
   * Stores the messages that sessions send over event streams. Default: in memory, within the limits.
   * @see docs/reference/event-streams.md#event-stores
   */
  eventStore: withMethods<EventStore>('`EventStore`', ['append', 'read', 'watch', 'delete']),
}

export const sessionsPart: ServerPart<typeof sessionOptions> = {
  options: sessionOptions,
  create: ({ sessionStore, eventStore, limits }, services) => {
    const store = sessionStore ?? new InMemorySessionStore(limits)
    const ownEvents = eventStore === undefined ? new InMemoryEventStore(limits) : null
    const events = ownEvents ?? (eventStore as EventStore)
    const storeClient = connectSessionStore(store, services)
    const connectedEvents = connectEventStore(events, services)
    let sessions: Sessions | null = null
    return {
      id: 'toolwright/sessions',
      // Never declared to clients, because sessions are part of the protocol.
      settings: () => null,
      createSessions: (server) => {
        sessions = new Sessions({
          server,
          store: storeClient,
          events: connectedEvents,
          limits,
          ownerKeyOf: services.ownerKeyOf,
          warn: (message) => services.runFenced(() => services.log.warn(message), 'a warning could not be logged'),
          onClose: () => ownEvents?.close(),
        })
        return sessions
      },
      metrics: metricsOf(() => ({ sessions, store, events, maxSessions: limits.maxSessions })),
    }
  },
}
