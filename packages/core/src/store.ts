// Exports for packages that implement a store: see "Write a store" in the docs.

export { type Bus, InProcessBus } from './bus.js'
export { StoreFull } from './errors/limit-error.js'
export { InMemoryEventStore } from './protocol/legacy/sessions/in-memory-event-store.js'
export { callerOf } from './protocol/legacy/sessions/session-record.js'
export { retry } from './timing/retry.js'
