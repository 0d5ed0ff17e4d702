import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server, createSecureServer, type ServerOptions as Http2Options } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { HostFastifyOptions } from 'toolwright'
import { isListen, SubscriptionRelay } from './subscription-relay.js'

/** Settings of Node's HTTP server that Fastify sets. */
const settings = ['keepAliveTimeout', 'requestTimeout', 'headersTimeout', 'timeout', 'maxRequestsPerSocket'] as const

export interface Pages {
  readonly path: string
  readonly app: FastifyInstance
}

/**
 * The HTTP server of the command, which listens while applications are replaced. The server of an application never
 * listens: this server forwards requests to it.
 */
export class HttpFront {
  readonly #server: Server
  readonly #subscriptions = new SubscriptionRelay()
  #app: FastifyInstance | null = null
  #pages: Pages | null = null

  constructor(options: HostFastifyOptions) {
    this.#server = createFor(options)
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (this.#pages !== null && isWithin(request.url, this.#pages.path)) {
        this.#pages.app.server.emit('request', request, response)
      } else if (isListen(request)) this.#subscriptions.serve(request, response)
      else this.#app?.server.emit('request', request, response)
    })
    this.#server.on('clientError', (error: Error, socket: Duplex) => {
      this.#app?.server.emit('clientError', error, socket)
    })
  }

  /** Listens. @returns The origin, such as `http://127.0.0.1:3000`. @throws Error of Node. */
  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen({ host, port }, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
    const { address, family, port: taken } = this.address
    const name = address === '::' || address === '0.0.0.0' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
    const isSecure = 'setSecureContext' in this.#server
    return `${isSecure ? 'https' : 'http'}://${name}:${taken}`
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo
  }

  get isListening(): boolean {
    return this.#server.listening
  }

  /**
   * Sends all further requests to an application that is ready, and moves open subscriptions to it.
   *
   * @param pages Another application for the paths below one path.
   */
  async switchTo(app: FastifyInstance, pages: Pages | null = null): Promise<void> {
    this.#app = app
    this.#pages = pages
    for (const name of settings) if (name in app.server) this.#server[name] = app.server[name] as never
    this.#server.removeAllListeners('upgrade')
    // Listens for upgrades only if the application does: without a listener, Node treats an offer of another protocol
    // as a plain request.
    if (app.server.listenerCount('upgrade') > 0) {
      this.#server.on('upgrade', (...upgrade: unknown[]) => app.server.emit('upgrade', ...upgrade))
    }
    await this.#subscriptions.moveTo(app)
  }

  async close(): Promise<void> {
    this.#subscriptions.close()
    await new Promise((resolve) => {
      this.#server.close(resolve)
      this.#server.closeAllConnections?.()
    })
  }
}

function createFor({ http = {}, https, http2 }: HostFastifyOptions): Server {
  const isSecure = typeof https === 'object' && https !== null
  if (http2 !== true) return isSecure ? createHttpsServer(https) : createServer(http as ServerOptions)
  const server: unknown = isSecure ? createSecureServer(https) : createHttp2Server(http as Http2Options)
  // The cast is safe, because an HTTP/2 server emits all events that this class uses.
  return server as Server
}

function isWithin(url: string | undefined, path: string): boolean {
  return url?.startsWith(path) === true && /^(?:[/?]|$)/.test(url.slice(path.length))
}
