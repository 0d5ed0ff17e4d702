import type { EventEmitter } from 'node:events'
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { type TLSSocket, Server as TlsServer } from 'node:tls'

const watched = new WeakMap<object, OpenConnections>()

/** The connections of a server of HTTP/1 or HTTP/2, with TLS or without. Several endpoints share what watches one server. */
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
  /** Of HTTP/1. `bytesRead` tells whether a request ever began: of TLS, it does not count the handshake. */
  readonly #http1 = new Set<Socket>()
  readonly #http2 = new Set<ServerHttp2Session>()
  /** By address, which is what they have in common with the socket that comes out of the handshake. */
  readonly #handshaking = new Map<string, Socket>()

  constructor(private readonly server: EventEmitter) {
    server.on('session', (session: ServerHttp2Session) => {
      this.#http2.add(session)
      session.once('close', () => this.#http2.delete(session))
    })
    if (server instanceof TlsServer) this.#watchTls(server)
    else if ('closeIdleConnections' in server) server.on('connection', (socket: Socket) => this.#addHttp1(socket))
  }

  /** Ends those on which nothing runs. What answers its last request turns idle only then: call it again. */
  closeIdle(): void {
    if ('closeIdleConnections' in this.server) (this.server.closeIdleConnections as () => void)()
    for (const socket of this.#http1) if (socket.bytesRead === 0) socket.destroy()
    for (const socket of this.#handshaking.values()) socket.destroy()
    // These end by themselves once their streams have.
    for (const session of this.#http2) session.close()
  }

  /** Ends all, but for those that were upgraded to something else and are that one's to end. */
  closeAll(): void {
    for (const socket of this.#handshaking.values()) socket.destroy()
    for (const session of this.#http2) session.destroy()
    if ('closeAllConnections' in this.server) (this.server.closeAllConnections as () => void)()
    // A server of HTTP/2 that allows HTTP/1 has no such list, nor tells which connections were upgraded.
    else for (const socket of this.#http1) socket.destroy()
  }

  #watchTls(server: TlsServer): void {
    server.on('connection', (socket: Socket) => {
      const address = addressOf(socket)
      this.#handshaking.set(address, socket)
      socket.once('close', () => {
        if (this.#handshaking.get(address) === socket) this.#handshaking.delete(address)
      })
    })
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#handshaking.delete(addressOf(socket))
      if (socket.alpnProtocol !== 'h2') this.#addHttp1(socket)
    })
  }

  #addHttp1(socket: Socket): void {
    this.#http1.add(socket)
    socket.once('close', () => this.#http1.delete(socket))
  }
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
