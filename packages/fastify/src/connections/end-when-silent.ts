import type { Socket } from 'node:net'
import type { WebSocket } from '@fastify/websocket'
import type { EndpointOptions } from '../options.js'

const maxMissedPings = 3

/** A socket with the internals that Node's own timeouts read. */
interface Link extends Pick<Socket, 'bytesRead'> {
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

/**
 * Terminates a WebSocket whose client has disappeared. A client is alive if it sends anything, even part of a message.
 * While data waits to be sent, a client is alive only if it reads.
 *
 * @param link Socket below the WebSocket.
 */
export function endWhenSilent(socket: WebSocket, link: Link, { server, keepAliveMs }: EndpointOptions): void {
  let missedPings = 0
  // State at the last ping: bytes received, and bytes that the kernel has not accepted.
  let bytesRead = 0
  let unsent = 0
  const ping = (): void => {
    const isWaiting = socket.bufferedAmount > 0
    const unsentNow = unsentBytes(socket, link)
    // A paused socket receives no pongs, so its client is treated as alive.
    const isAlive = isWaiting ? unsentNow !== unsent : socket.isPaused || link.bytesRead > bytesRead
    missedPings = isAlive ? 1 : missedPings + 1
    bytesRead = link.bytesRead
    unsent = unsentNow
    if (missedPings > maxMissedPings) {
      if (isWaiting) server.cutStreams.count++
      socket.terminate()
    } else if (!isWaiting && socket.readyState === socket.OPEN) socket.ping()
  }
  const pings = setInterval(ping, keepAliveMs).unref()
  socket.once('close', () => clearInterval(pings))
}

/**
 * Returns the bytes of the current write that the kernel has not accepted. `bufferedAmount` does not change before a whole message
 * is written, and a slow client may need minutes to read a long message.
 */
function unsentBytes(socket: WebSocket, { _handle: handle }: Link): number {
  return handle?.writeQueueSize ?? socket.bufferedAmount
}
