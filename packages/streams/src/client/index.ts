export type { StreamMeta } from '../wire/messages.js'
export { StreamError } from '../wire/stream-error.js'
export type { ClientStream, OpenOptions } from './client-stream.js'
export {
  type ConnectOptions,
  connectStreams,
  type OpenStreamOptions,
  openStream,
  type StreamingClient,
} from './open-stream.js'
export type { StreamConnection } from './stream-connection.js'
