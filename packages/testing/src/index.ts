// The public API.
export { type ConnectOptions, connect, type TestConnection } from './connect.js'
export { InMemoryClientTransport } from './in-memory-transport.js'
export { type EraName, type Lane, type LaneName, lanes } from './lanes.js'
export { StreamClientTransport } from './stream-transport.js'
