import type { EventEmitter } from 'node:events'
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { type TLSSocket, Server as TlsServer } from 'node:tls'
import type { Gauge } from '@toolwright/core'

const watched = new WeakMap<object, OpenConnections>()

/**
 * Returns the tracker of an application's connections: HTTP/1 or HTTP/2, with or without TLS. All endpoints of the
 * application share this tracker.
 */
export function openConnections(server: EventEmitter): OpenConnections {
  const known = watched.get(server)
  if (known !== undefined) return known
  const connections = new OpenConnections(server)
  watched.set(server, connections)
  return connections
}

/**
 * Tracker of open connections. Node's own lists are incomplete: they cover HTTP/1 only, miss connections in the TLS
 * handshake, and list connections that never sent anything as busy. Clients and proxies open such connections in
 * advance.
 */
export class OpenConnections {
  readonly #servers = new Set<EventEmitter>()
  /** HTTP/1 sockets. `bytesRead` is 0 until a request begins, because it does not include the TLS handshake. */
  readonly #http1 = new Set<Socket>()
  readonly #http2 = new Set<ServerHttp2Session>()
  /**
   * Sockets in the TLS handshake, by address. The address identifies them later, because the handshake creates another
   * socket with the same address.
   */
  readonly #handshaking = new Map<string, Socket>()
  /** Sockets that only `closeAll` ends: sockets below HTTP/2 sessions, and TLS sockets without an address. */
  readonly #others = new Set<Socket>()
  #count = 0
  readonly gauge: Gauge = {
    name: 'connections_open',
    help: 'Connections to the HTTP server',
    read: () => this.#count,
  }

  constructor(server: EventEmitter) {
    this.watch(server)
  }

  /** HTTP servers of the application. Listening on a host name creates a server for each of its addresses. */
  get servers(): Iterable<EventEmitter> {
    return this.#servers
  }

  watch(server: EventEmitter): void {
    if (this.#servers.has(server)) return
    this.#servers.add(server)
    server.on('connection', (socket: Socket) => {
      this.#count++
      socket.once('close', () => this.#count--)
    })
    server.on('session', (session: ServerHttp2Session) => {
      this.#http2.add(session)
      session.once('close', () => this.#http2.delete(session))
    })
    // An HTTP/2 server with TLS has no method `closeAllConnections`, so this class closes the connections.
    if (!('closeAllConnections' in server)) server.on('connection', (socket: Socket) => add(socket, this.#others))
    else if (!(server instanceof TlsServer)) server.on('connection', (socket: Socket) => add(socket, this.#http1))
    if (server instanceof TlsServer) this.#watchTls(server)
  }

  /** Closes idle connections. Call this method repeatedly: a connection becomes idle only after its last answer. */
  closeIdle(): void {
    for (const server of this.#servers) {
      if ('closeIdleConnections' in server) (server.closeIdleConnections as () => void)()
    }
    for (const socket of this.#http1) if (socket.bytesRead === 0) socket.destroy()
    for (const socket of this.#handshaking.values()) socket.destroy()
    // Each HTTP/2 session ends when its streams have ended.
    for (const session of this.#http2) session.close()
  }

  /**
   * Closes all connections except upgraded HTTP/1 sockets, which their new owner closes. Upgraded sockets in `#others`
   * are closed, too.
   */
  closeAll(): void {
    for (const socket of this.#handshaking.values()) socket.destroy()
    for (const session of this.#http2) session.destroy()
    for (const server of this.#servers) {
      if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
    }
    for (const socket of this.#others) socket.destroy()
  }

  #watchTls(server: TlsServer): void {
    server.on('connection', (socket: Socket) => {
      const address = addressOf(socket)
      if (address === null) return add(socket, this.#others)
      this.#handshaking.set(address, socket)
      socket.once('close', () => {
        if (this.#handshaking.get(address) === socket) this.#handshaking.delete(address)
      })
    })
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#handshaking.delete(addressOf(socket) ?? '')
      if (socket.alpnProtocol !== 'h2') add(socket, this.#http1)
    })
  }
}

function add(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
}

/** @returns `null` for a Unix domain socket. */
function addressOf({ remoteAddress, remotePort }: Socket): string | null {
  return remoteAddress === undefined ? null : `${remoteAddress} ${remotePort}`
}
