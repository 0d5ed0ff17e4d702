import type { Socket } from 'node:net'
import type { WebSocket } from '@fastify/websocket'

/** Number of consecutive pings that a client may leave unanswered. */
const maxMissedPings = 3

/**
 * Terminates a WebSocket whose client has disappeared. A client is alive if it sends anything, even part of a message, or
 * reads buffered data.
 *
 * @param link Socket below the WebSocket.
 * @param everyMs Milliseconds between pings.
 */
export function endWhenSilent(socket: WebSocket, link: Socket, everyMs: number): void {
  let missedPings = 0
  // State at the last ping: bytes received, and bytes waiting to be sent.
  let bytesRead = 0
  let waiting = 0
  const ping = (): void => {
    // A paused socket receives no pongs, so its client is treated as alive.
    const isAlive = socket.isPaused || link.bytesRead > bytesRead || socket.bufferedAmount < waiting
    missedPings = isAlive ? 1 : missedPings + 1
    bytesRead = link.bytesRead
    if (missedPings > maxMissedPings) socket.terminate()
    else if (socket.readyState === socket.OPEN) socket.ping()
    waiting = socket.bufferedAmount
  }
  const pings = setInterval(ping, everyMs).unref()
  socket.once('close', () => clearInterval(pings))
}
