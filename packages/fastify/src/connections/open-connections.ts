import type { EventEmitter } from 'node:events'
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { type TLSSocket, Server as TlsServer } from 'node:tls'
import type { Gauge } from '@toolwright/core'

const watched = new WeakMap<object, OpenConnections>()

/** The connections of an application, of HTTP/1 or HTTP/2, with TLS or without. Several endpoints share what watches them. */
export function openConnections(server: EventEmitter): OpenConnections {
  const known = watched.get(server)
  if (known !== undefined) return known
  const connections = new OpenConnections(server)
  watched.set(server, connections)
  return connections
}

/**
 * Node has lists of its own, which this completes: for HTTP/1 only, without the connections that are in the middle of a
 * handshake, and with those that never sent anything among the busy ones. Clients and proxies open some in advance.
 */
export class OpenConnections {
  readonly #servers = new Set<EventEmitter>()
  /** Of HTTP/1. `bytesRead` tells whether a request ever began: of TLS, it does not count the handshake. */
  readonly #http1 = new Set<Socket>()
  readonly #http2 = new Set<ServerHttp2Session>()
  /** By address, which is what they have in common with the socket that comes out of the handshake. */
  readonly #handshaking = new Map<string, Socket>()
  /** Of which nothing better can be told: under HTTP/2, whose sessions wait for the client, and of TLS without addresses. */
  readonly #others = new Set<Socket>()
  #count = 0
  /** One for all endpoints of the application. */
  readonly gauge: Gauge = {
    name: 'connections_open',
    help: 'Connections to the HTTP server',
    read: () => this.#count,
  }

  constructor(server: EventEmitter) {
    this.watch(server)
  }

  /** Those that are watched: the application has one for each address at which it listens by name. */
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
    // Those of HTTP/2 with TLS have the other of Node's two lists.
    if (!('closeAllConnections' in server)) server.on('connection', (socket: Socket) => add(socket, this.#others))
    else if (!(server instanceof TlsServer)) server.on('connection', (socket: Socket) => add(socket, this.#http1))
    if (server instanceof TlsServer) this.#watchTls(server)
  }

  /** Ends those on which nothing runs. What answers its last request turns idle only then: call it again. */
  closeIdle(): void {
    for (const server of this.#servers) {
      if ('closeIdleConnections' in server) (server.closeIdleConnections as () => void)()
    }
    for (const socket of this.#http1) if (socket.bytesRead === 0) socket.destroy()
    for (const socket of this.#handshaking.values()) socket.destroy()
    // These end by themselves once their streams have.
    for (const session of this.#http2) session.close()
  }

  /** Ends all, but for those of HTTP/1 that were upgraded to something else and are that one's to end, where these are known. */
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

/** `null`: it comes over a socket of the file system. */
function addressOf({ remoteAddress, remotePort }: Socket): string | null {
  return remoteAddress === undefined ? null : `${remoteAddress} ${remotePort}`
}
