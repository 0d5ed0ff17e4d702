// Sessions of a server. Packages that store sessions use the same exports.

export type { EventStore, StoredEvent, StreamKey, StreamPage } from './event-store.js'
export { InMemoryEventStore } from './in-memory-event-store.js'
export { InMemorySessionStore, type SessionStoreLimits } from './in-memory-session-store.js'
export { callerOf } from './session-record.js'
export type { SessionNode, SessionRecord, SessionStore } from './session-store.js'
export { sessionOptions, sessionsPart } from './sessions-part.js'
