// Transports for an official client in Node.

export { InMemoryClientTransport } from './platform/in-memory-transport.js'
export { StreamClientTransport } from './platform/stream-transport.js'
