import type { EventStore } from './event-store.js'
import { InMemoryEventStore } from './in-memory-event-store.js'
import { InMemorySessionStore } from './in-memory-session-store.js'
import type { SessionStore } from './session-store.js'

export interface CountedSessions {
  /** `null` while the server boots. */
  readonly sessions: { readonly size: number; readonly rejected: number } | null
  readonly store: SessionStore
  readonly events: EventStore
  readonly maxSessions: number
}

export type SessionMetrics = {
  readonly [Name in keyof typeof sessionMetrics]: ReturnType<(typeof sessionMetrics)[Name]['read']>
}

export const sessionMetrics = {
  sessions: {
    name: 'sessions_open',
    help: 'Open sessions',
    read: ({ sessions, maxSessions }: CountedSessions) => ({ value: sessions?.size ?? 0, max: maxSessions }),
  },
  storedEventBytes: {
    name: 'stored_event_bytes',
    help: 'Bytes of events for clients that reconnect',
    read: ({ events }: CountedSessions) =>
      events instanceof InMemoryEventStore ? { value: events.bytes, max: events.limits.maxTotalStoredBytes } : null,
  },
  rejectedSessions: {
    name: 'sessions_rejected_total',
    help: 'New sessions rejected because all sessions were in use',
    read: ({ sessions }: CountedSessions) => sessions?.rejected ?? 0,
  },
  displacedSessions: {
    name: 'sessions_displaced_total',
    help: 'Sessions ended to make room for others',
    read: ({ store }: CountedSessions) => (store instanceof InMemorySessionStore ? store.displaced : 0),
  },
  displacedEvents: {
    name: 'events_displaced_total',
    help: 'Events dropped early to make room for newer ones',
    read: ({ events }: CountedSessions) => (events instanceof InMemoryEventStore ? events.displaced : 0),
  },
}

/** @param count Returns the sessions to count. The metrics exist before the sessions do. */
export function metricsOf(count: () => CountedSessions) {
  const rows = Object.entries(sessionMetrics)
  return Object.fromEntries(rows.map(([key, { read, ...row }]) => [key, { ...row, read: () => read(count()) }]))
}
