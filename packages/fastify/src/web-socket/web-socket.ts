import type { EventEmitter } from 'node:events'
import { type IncomingMessage, Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import websocket, { type WebSocket } from '@fastify/websocket'
import { ProtocolError } from '@toolwright/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ConnectionQuota } from '../connections/connection-quota.js'
import { otherServers } from '../connections/other-servers.js'
import { serverCloses } from '../endpoint/errors.js'
import type { EndpointOptions } from '../options.js'
import { WebSocketConnection } from './web-socket-connection.js'

/** Milliseconds that a client has to read why it was refused once the application closes, which waits for it. */
const refusedMs = 100

/**
 * JSON-RPC over WebSocket: each text frame is a message, and the connection is the client's, as a process is on stdio.
 * Not a transport of the protocol's own, but one that several clients speak, under the subprotocol `mcp`.
 */
export async function mountWebSocket(scope: FastifyInstance, path: string, endpoint: EndpointOptions): Promise<void> {
  // In a scope of its own: the plugin's hooks would slow down every other route.
  await scope.register(async (own) => {
    await acceptUpgrades(own, endpoint)
    ignoreOffersOfHttp2(own.server)
    own.addHook('onListen', async () => otherServers(own).forEach(ignoreOffersOfHttp2))
    own.server.on('upgrade', (_request, socket) => limitSilence(socket, endpoint))
    own.addHook('onResponse', endRefused)
    const connections = new Set<WebSocketConnection>()
    const quota = new ConnectionQuota('web_sockets', 'WebSockets', () => connections.size, endpoint.server)
    const checkQuota = (): void => {
      if (endpoint.closing.hasStarted) throw serverCloses()
      quota.check()
    }
    const preValidation = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      if (request.ws) return checkQuota()
      // HTTP/2 knows no such header: Node would throw where nobody catches it.
      if (request.raw.httpVersionMajor === 1) reply.header('upgrade', 'websocket')
      throw new ProtocolError('invalidRequest', 'Invalid Request: ask for an upgrade to WebSocket')
    }
    own.get(path, { websocket: true, exposeHeadRoute: false, preValidation }, (socket, request) => {
      const connection = new WebSocketConnection(socket, request, endpoint)
      connections.add(connection)
      const forget = endpoint.closing.whenBegun(() => connection.closing())
      socket.once('close', () => {
        connections.delete(connection)
        forget()
      })
    })
    // Runs when calls in flight have ended, or had their time.
    own.addHook('preClose', async () => {
      await Promise.all([...connections].map(async (connection) => connection.close()))
    })
  })
}

/** HTTP servers whose upgrades go to the router already. */
const upgraded = new WeakSet<object>()

async function acceptUpgrades(own: FastifyInstance, endpoint: EndpointOptions): Promise<void> {
  // Where the application has it already, a second one would not start.
  if (own.hasDecorator('websocketServer')) return
  const { maxMessageBytes: maxPayload } = endpoint.server.limits
  const options = {
    maxPayload,
    handleProtocols: chooseProtocol,
    // Of two endpoints the second takes what the first has sent to the router, and listens where nothing comes: both
    // would answer on one socket, and one of them say in the log that it cannot.
    ...(upgraded.has(own.server) ? { server: new Server() } : {}),
  }
  upgraded.add(own.server)
  // Closing is done here, politely.
  await own.register(websocket, { options, errorHandler, preClose: (done) => done() })
}

/** Node has it from 22.21 and 24.9 on, and tells others that there is an upgrade wherever a header offers one. */
interface Upgrading {
  shouldUpgradeCallback?: (request: IncomingMessage) => boolean
}

/** Java's client offers HTTP/2 with each request, and goes on as before where nobody takes the offer. */
function ignoreOffersOfHttp2(server: EventEmitter & Upgrading): void {
  const decide = server.shouldUpgradeCallback
  if (decide === undefined) return
  server.shouldUpgradeCallback = (request) => request.headers.upgrade !== 'h2c' && decide.call(server, request)
}

/** A connection that was to be a WebSocket and is none cannot carry another request. */
function endRefused({ headers, raw }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (headers.upgrade !== undefined && raw.socket instanceof Socket) raw.socket.destroySoon()
  done()
}

/**
 * For requests that ask other routes for a WebSocket, or ask while the application closes: no hook here sees them, and what
 * they left is HTTP, and its time limits. The WebSocket itself takes the limit away.
 */
function limitSilence(socket: Duplex, { closing, keepAliveMs }: EndpointOptions): void {
  if (!(socket instanceof Socket)) return
  socket.setTimeout(keepAliveMs, () => socket.destroy())
  const forget = closing.whenBegun(() => {
    const isWebSocket = socket.timeout === 0
    if (!isWebSocket) socket.setTimeout(refusedMs)
  })
  socket.once('close', forget)
}

/** What a client does to its connection is no failure of the server. */
function errorHandler(error: Error, _socket: WebSocket, request: FastifyRequest): void {
  request.log.info({ err: error }, 'a WebSocket connection failed')
}

/** A client that offers other subprotocols only speaks something else. */
function chooseProtocol(offered: ReadonlySet<string>): string | false {
  return offered.has('mcp') ? 'mcp' : false
}
