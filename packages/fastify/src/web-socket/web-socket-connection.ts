import { setImmediate as deferred } from 'node:timers/promises'
import type { WebSocket } from '@fastify/websocket'
import { LimitError, ProtocolError } from '@toolwright/core'
import {
  Connection,
  errorResponse,
  idOfRefused,
  isLong,
  readInTurn,
  readMessage,
  whenExpired,
  withTimeout,
} from '@toolwright/core/transport'
import type { FastifyRequest } from 'fastify'
import { endWhenSilent } from '../connections/end-when-silent.js'
import { bodyTooLarge, serverCloses } from '../endpoint/errors.js'
import type { EndpointOptions } from '../options.js'
import { principalOf } from '../security/principal.js'

/** Requests of one client that are served at once. */
const maxInFlight = 100

/** Messages of one client that are read in a turn of the event loop. Hundreds of thousands of them can come at once. */
const maxInTurn = 100

/** Milliseconds that the client gets to close its side. */
const closeMs = 1_000

/** Codes of RFC 6455, section 7.4.1. */
const closeCodes = { goingAway: 1001, unsupportedData: 1003, policyViolation: 1008 } as const

/** One client on a WebSocket. */
export class WebSocketConnection {
  readonly #connection: Connection
  readonly #closed: Promise<void>
  #isClosing = false
  /** Messages are read in their order, each when that before it was. */
  #reading = Promise.resolve()
  /** Messages that came and are not read. */
  #unread = 0
  #readInTurn = 0

  /** @param request The one that was upgraded: whose it was, the connection is. */
  constructor(
    private readonly socket: WebSocket,
    request: FastifyRequest,
    private readonly endpoint: EndpointOptions,
  ) {
    const principal = principalOf(request)
    this.#connection = new Connection(endpoint.server, (json) => this.#send(json), principal, {
      address: () => request.ip,
      headers: request.headers,
    })
    endWhenSilent(socket, request.raw.socket, endpoint.keepAliveMs)
    const stopWaiting = whenExpired(principal, () => void this.#expire())
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        stopWaiting()
        this.#connection.disconnected()
        resolve()
      })
    })
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary))
    socket.on('error', (error: NodeJS.ErrnoException) => this.#failed(error))
  }

  /** The socket has said why and waits for the client's goodbye, which need not come. */
  #failed({ code }: NodeJS.ErrnoException): void {
    if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') this.endpoint.server.oversizedMessages.count++
    setTimeout(() => this.socket.terminate(), closeMs).unref()
  }

  /** Takes no more requests, and ends what would never end by itself. */
  closing(): void {
    this.#isClosing = true
    this.#connection.closing()
  }

  /** Says goodbye, and does not wait for ever for that of the client. */
  close(): Promise<void> {
    return this.#close(closeCodes.goingAway, 'the server is closing')
  }

  /** What runs is answered before. */
  async #expire(): Promise<void> {
    await this.#connection.expire()
    await this.#close(closeCodes.policyViolation, 'the credentials have expired')
  }

  async #close(code: number, reason: string): Promise<void> {
    this.socket.close(code, reason)
    await withTimeout(this.#closed, closeMs).catch(() => undefined)
    this.socket.terminate()
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (isBinary) {
      this.socket.close(closeCodes.unsupportedData, 'messages are text')
      return
    }
    // What comes meanwhile waits outside.
    if (++this.#unread > maxInTurn || isLong(data)) this.socket.pause()
    this.#reading = this.#reading.then(() => this.#receiveText(data))
  }

  async #receiveText(data: Buffer): Promise<void> {
    const { socket } = this
    const { limits, oversizedMessages } = this.endpoint.server
    try {
      // Where the application brought the WebSocket server, that has another limit.
      if (data.length > limits.maxMessageBytes) throw bodyTooLarge(limits.maxMessageBytes)
      const message = await readInTurn(data, limits)
      await this.#connection.readyForNext()
      if (socket.readyState !== socket.CLOSED) this.#receiveMessage(message)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      oversizedMessages.addIfTooLarge(error)
      this.#send(errorResponse(idOfRefused(data, error), error))
    } finally {
      this.#readInTurn++
      // Others get theirs between many messages that came at once.
      if (this.#readInTurn >= maxInTurn) await deferred()
      this.#goOn()
    }
  }

  #goOn(): void {
    const { socket } = this
    this.#unread--
    if (this.#unread === 0 || this.#readInTurn >= maxInTurn) this.#readInTurn = 0
    if (this.#unread === 0 && socket.isPaused) socket.resume()
  }

  #receiveMessage(value: unknown): void {
    const message = readMessage(value)
    // What takes no time is always taken: it may be the answer or the end of what runs.
    const isQuick = message.kind === 'notification' || message.kind === 'response'
    const refusal = isQuick ? null : this.#refusal()
    if (refusal === null) this.#connection.receive(value)
    else this.#send(errorResponse(message.kind === 'request' ? message.id : undefined, refusal))
  }

  #refusal(): LimitError | null {
    if (this.#isClosing) return serverCloses()
    if (this.#connection.inFlight < maxInFlight) return null
    return new LimitError('unavailable', `At most ${maxInFlight} requests are served at once`)
  }

  /**
   * A client that does not read must not fill the server's memory: it is cut off. What waits counts, not the message
   * itself, because a result may be larger than the buffer.
   */
  #send(json: string): void {
    const { socket } = this
    const { limits, cutStreams } = this.endpoint.server
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount <= limits.maxBufferedBytes) {
      socket.send(json)
      return
    }
    cutStreams.count++
    socket.terminate()
  }
}
