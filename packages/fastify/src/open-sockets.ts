import type { Server, Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

const watched = new WeakMap<object, ReadonlySet<Socket>>()

/**
 * The connections of a server of plain HTTP/1, where `bytesRead` tells whether anything ever came on one. Empty for other
 * servers. Several endpoints share what watches one server.
 */
export function openSockets(server: object): ReadonlySet<Socket> {
  const known = watched.get(server)
  if (known !== undefined) return known
  const sockets = new Set<Socket>()
  watched.set(server, sockets)
  if ('closeIdleConnections' in server && !(server instanceof TlsServer)) watch(server as unknown as Server, sockets)
  return sockets
}

function watch(server: Server, sockets: Set<Socket>): void {
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
}
