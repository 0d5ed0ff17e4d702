import type { Socket } from 'node:net'
import type { WebSocket } from '@fastify/websocket'

/** Pings in a row that a client may leave without an answer. */
const maxMissedPings = 3

/**
 * Ends a WebSocket whose client is gone without a word. A client lives that sends anything, be it the middle of a long
 * message, or takes some of what waits for it.
 *
 * @param link What the frames come over.
 * @param everyMs Milliseconds from one ping to the next.
 */
export function endWhenSilent(socket: WebSocket, link: Socket, everyMs: number): void {
  let missedPings = 0
  // When the last ping was sent: what had come, and what still waited to go.
  let bytesRead = 0
  let waiting = 0
  const ping = (): void => {
    const isAlive = link.bytesRead > bytesRead || socket.bufferedAmount < waiting
    missedPings = isAlive ? 1 : missedPings + 1
    bytesRead = link.bytesRead
    if (missedPings > maxMissedPings) socket.terminate()
    else if (socket.readyState === socket.OPEN) socket.ping()
    waiting = socket.bufferedAmount
  }
  const pings = setInterval(ping, everyMs).unref()
  socket.once('close', () => clearInterval(pings))
}
