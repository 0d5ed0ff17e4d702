import type { EventEmitter } from 'node:events'
import { type IncomingMessage, Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import websocket, { type WebSocket } from '@fastify/websocket'
import { type OpenSocketHandler, ProtocolError } from '@toolwright/core'
import { tryLog } from '@toolwright/core/host'
import { Diagnostics, reportThrown } from '@toolwright/core/options'
import { type RunningServer } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ConnectionQuota } from '../connections/connection-quota.js'
import { otherServers } from '../connections/other-servers.js'
import { serverCloses } from '../endpoint/errors.js'
import type { EndpointOptions } from '../options.js'
import { WebSocketConnection } from './web-socket-connection.js'

/**
 * Timeout in milliseconds for a client to read its rejection while the application closes. Shutdown waits until then.
 */
const rejectedMs = 100

/**
 * Mounts JSON-RPC over WebSocket: each text frame is a message, and each connection is one client, like a process on
 * stdio. The spec has no such transport, but several clients support it with the subprotocol `mcp`.
 */
export async function mountWebSocket(scope: FastifyInstance, path: string, endpoint: EndpointOptions): Promise<void> {
  // A separate scope is needed: the plugin's hooks would slow down every other route.
  await scope.register(async (own) => {
    await acceptUpgrades(own, endpoint)
    ignoreOffersOfHttp2(own.server)
    own.addHook('onListen', async () => otherServers(own).forEach(ignoreOffersOfHttp2))
    own.server.on('upgrade', (_request, socket) => limitSilence(socket, endpoint))
    own.addHook('onResponse', endRejected)
    const connections = new Set<WebSocketConnection>()
    const quota = new ConnectionQuota('web_sockets', 'WebSockets', () => connections.size, endpoint.server)
    const checkQuota = (): void => {
      if (endpoint.closing.hasStarted) throw serverCloses()
      quota.check()
    }
    const preValidation = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      if (request.ws) return checkQuota()
      // Only on HTTP/1: HTTP/2 forbids this header, and Node would throw an uncaught error.
      if (request.raw.httpVersionMajor === 1) reply.header('upgrade', 'websocket')
      throw new ProtocolError('invalidRequest', 'Invalid Request: this path only accepts WebSocket upgrades')
    }
    const extensions = await prepareExtensions(endpoint.server)
    own.get(path, { websocket: true, exposeHeadRoute: false, preValidation }, (socket, request) => {
      const connection = new WebSocketConnection(socket, request, endpoint, extensions)
      connections.add(connection)
      const unregister = endpoint.closing.whenBegun(() => connection.closing())
      socket.once('close', () => {
        connections.delete(connection)
        unregister()
      })
    })
    // Runs when calls in flight have ended or timed out.
    own.addHook('preClose', async () => {
      await Promise.all([...connections].map(async (connection) => connection.close()))
    })
  })
}

async function prepareExtensions(server: RunningServer): Promise<readonly OpenSocketHandler[]> {
  const diagnostics = new Diagnostics()
  const prepared: OpenSocketHandler[] = []
  for (const { id, webSocket } of server.extensions) {
    if (webSocket === undefined) continue
    const prepare = (): void => {
      const open: unknown = webSocket(server)
      if (typeof open === 'function') prepared.push(open as OpenSocketHandler)
      else diagnostics.addBadOption(`extension '${id}': the result of webSocket`, open, 'Return a function.')
    }
    // oxlint-disable-next-line no-await-in-loop
    await reportThrown(`Extension '${id}' cannot be used`, diagnostics, prepare)
  }
  diagnostics.throwIfAny()
  return prepared
}

const upgraded = new WeakSet<object>()

async function acceptUpgrades(own: FastifyInstance, endpoint: EndpointOptions): Promise<void> {
  // Uses the plugin that the application has registered, because the plugin cannot be registered twice.
  if (own.hasDecorator('websocketServer')) return
  const { maxMessageBytes: maxPayload } = endpoint.server.limits
  const options = {
    maxPayload,
    handleProtocols: chooseProtocol,
    // With two endpoints, the plugin of the first endpoint sends all upgrades to the router. The plugin of the second
    // endpoint gets a server without connections: otherwise, both plugins would answer on one socket, and one plugin
    // would log a failure.
    ...(upgraded.has(own.server) ? { server: new Server() } : {}),
  }
  upgraded.add(own.server)
  // The plugin must not close connections: `mountWebSocket` closes connections gracefully.
  await own.register(websocket, { options, errorHandler, preClose: (done) => done() })
}

/**
 * A server of Node 22.21, 24.9 or later, which can ignore upgrades. Older versions treat every `Upgrade` header as an
 * upgrade.
 */
interface Upgrading {
  shouldUpgradeCallback?: (request: IncomingMessage) => boolean
}

/**
 * Ignores offers of HTTP/2, which Java's client sends with each request. The client continues with HTTP/1 if the offer
 * is ignored.
 */
function ignoreOffersOfHttp2(server: EventEmitter & Upgrading): void {
  const decide = server.shouldUpgradeCallback
  if (decide === undefined) return
  server.shouldUpgradeCallback = (request) => request.headers.upgrade !== 'h2c' && decide.call(server, request)
}

/** Closes the connection of a rejected upgrade, which cannot carry another request. */
function endRejected({ headers, raw }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (headers.upgrade !== undefined && raw.socket instanceof Socket) raw.socket.destroySoon()
  done()
}

/**
 * Limits the idle time of upgrades to other routes, and of upgrades that arrive while the application closes. No hook
 * of this package and no HTTP timeout applies to such upgrades. The limit ends when the WebSocket opens.
 */
function limitSilence(socket: Duplex, { closing, keepAliveMs }: EndpointOptions): void {
  if (!(socket instanceof Socket)) return
  socket.setTimeout(keepAliveMs, () => socket.destroy())
  const unregister = closing.whenBegun(() => {
    const isWebSocket = socket.timeout === 0
    if (!isWebSocket) socket.setTimeout(rejectedMs)
  })
  socket.once('close', unregister)
}

/** Logs at `info`: an error of the client's connection is not a failure of the server. */
function errorHandler(error: Error, _socket: WebSocket, request: FastifyRequest): void {
  tryLog(() => request.log.info({ err: error }, 'a WebSocket connection failed'))
}

function chooseProtocol(offered: ReadonlySet<string>): string | false {
  return offered.has('mcp') ? 'mcp' : false
}
