// For clients: the streams of an open WebSocket. `stream` and `streams` of @toolwright/client open it.

export type { ClientStream, StreamOptions } from './client-stream.js'
export type { Socket } from './socket.js'
export { StreamConnection } from './stream-connection.js'
