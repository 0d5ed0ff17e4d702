// For an official client in Node: transports that it does not have itself.

export { InMemoryClientTransport } from './platform/in-memory-transport.js'
export { StreamClientTransport } from './platform/stream-transport.js'
