// The public API.
export { InMemoryClientTransport, StreamClientTransport } from '@toolwright/client/transports'
export { type ConnectOptions, connect, type TestConnection } from './connect.js'
export { type FakeProvider, type FakeProviderOptions, type FakeUser, fakeProvider } from './fake-provider.js'
export { type EraName, type Lane, type LaneName, lanes } from './lanes.js'
