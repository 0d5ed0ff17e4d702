// Streams on an open WebSocket, for clients. `stream` and `streams` of @toolwright/client open the WebSocket
// themselves.

export type { ClientStream, StreamOptions } from './client-stream.js'
export type { Socket } from './socket.js'
export { StreamConnection } from './stream-connection.js'
