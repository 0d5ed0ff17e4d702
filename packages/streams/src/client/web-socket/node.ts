import { WebSocket } from 'ws'
import { StreamError } from '../../wire/stream-error.js'
import type { Socket, SocketHeaders } from './socket.js'

/** Opens a WebSocket. @throws StreamError if the server rejects it, or cannot be reached. */
export function openWebSocket(url: URL, headers: SocketHeaders): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Compression would cost more time than it saves on most content, which is compressed already.
    const socket = new WebSocket(url, 'mcp', { headers: { ...headers }, perMessageDeflate: false })
    socket.once('open', () => resolve(socket))
    socket.on('error', (error) => reject(new StreamError(`Cannot connect to ${url.href}: ${error.message}`)))
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy()
      reject(new StreamError(`The server rejected the WebSocket at ${url.href} with status ${statusCode}`))
    })
  })
}
