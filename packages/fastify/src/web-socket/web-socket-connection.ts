import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WebSocket } from '@fastify/websocket'
import { LimitError, type OpenSocketHandler, ProtocolError, type SocketHandler } from '@toolwright/core'
import {
  isLong,
  isPromiseLike,
  logFailure,
  type Output,
  type Paused,
  readMessage,
  runFenced,
  withTimeout,
} from '@toolwright/core/host'
import { describeValue, isObject } from '@toolwright/core/options'
import { Connection, errorResponse, idOfRejected, Outbox, readInTurn, whenExpired } from '@toolwright/core/transport'
import type { FastifyRequest } from 'fastify'
import { endWhenSilent } from '../connections/end-when-silent.js'
import { bodyTooLarge, serverCloses } from '../endpoint/errors.js'
import type { EndpointOptions } from '../options.js'
import { principalOf } from '../security/principal.js'
import { SharedSocket } from './shared-socket.js'

const maxInFlight = 100

/**
 * Maximum number of messages of one client that are read in one turn of the event loop, because hundreds of thousands
 * can arrive at once.
 */
const maxInTurn = 100

const closeMs = 1_000

/** Close codes of RFC 6455, section 7.4.1. */
const closeCodes = { goingAway: 1001, unsupportedData: 1003, policyViolation: 1008 } as const

export class WebSocketConnection {
  readonly #connection: Connection
  readonly #outbox: Outbox
  readonly #closed: Promise<void>
  #isClosing = false
  /** Resolves when all messages received so far are read. Messages are read in order. */
  #reading = Promise.resolve()
  #unread = 0
  #readInTurn = 0
  /** Binary messages that were read in this turn of the event loop without waiting. */
  #binaryInTurn = 0
  #hasClosed = false
  #holds = 0
  readonly #handlers: SocketHandler[] = []

  /**
   * @param request The upgrade request. The principal of this request applies to the whole connection.
   * @param extensions Open the handlers of frames that are not JSON-RPC.
   */
  constructor(
    private readonly socket: WebSocket,
    request: FastifyRequest,
    private readonly endpoint: EndpointOptions,
    extensions: readonly OpenSocketHandler[],
  ) {
    const principal = principalOf(request)
    const link = request.raw.socket
    this.#outbox = new Outbox(this.#outputOver(link), endpoint.server)
    this.#outbox.whenFull(this.#reader())
    link.on('drain', () => this.#outbox.drained())
    this.#connection = new Connection(endpoint.server, this.#outbox, principal, {
      transport: 'websocket',
      address: () => request.ip,
      headers: request.headers,
    })
    endWhenSilent(socket, link, endpoint)
    let stopWaiting = (): void => undefined
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        stopWaiting()
        this.#connection.disconnected()
        for (const handler of this.#handlers) this.#tryToCall(() => handler.disconnected?.())
        resolve()
      })
    })
    const shared = new SharedSocket(socket, request, {
      outbox: this.#outbox,
      send: (frame, onSent) => this.#outbox.send(frame, onSent && (() => this.#tryToCall(onSent))),
      hold: () => this.#hold(),
      checkStart: () => this.#checkStart(),
      close: (code, reason) => this.#closeFor(code, reason),
    })
    for (const open of extensions) this.#open(open, shared)
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary))
    socket.on('error', (error: NodeJS.ErrnoException) => this.#failed(error))
    // The credentials can have expired already, so everything else is ready before.
    stopWaiting = whenExpired(principal, () => void this.#expire())
  }

  /** Terminates after an error. The socket has sent a close frame, but the client may never answer it. */
  #failed({ code }: NodeJS.ErrnoException): void {
    if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') this.endpoint.server.oversizedMessages.count++
    setTimeout(() => this.socket.terminate(), closeMs).unref()
  }

  closing(): void {
    this.#isClosing = true
    this.#connection.closing()
    // After an error, the connection stays open, because calls in flight can still finish.
    for (const handler of this.#handlers) this.#tryToCall(() => handler.closing?.())
  }

  /**
   * Sends responses until the deadline of the shutdown. Then sends a close frame, and waits at most `closeMs` for
   * the close frame of the client.
   */
  async close(): Promise<void> {
    await this.endpoint.closing.untilDeadline(this.#connection.idle())
    await this.#close(closeCodes.goingAway, 'the server is closing')
  }

  async #expire(): Promise<void> {
    await Promise.all([this.#connection.expire(), ...this.#handlers.map((handler) => this.#whenOver(handler))])
    await this.#close(closeCodes.policyViolation, 'the credentials have expired')
  }

  async #whenOver(handler: SocketHandler): Promise<void> {
    try {
      await handler.expired?.()
    } catch (error) {
      logFailure(this.endpoint.server.log, error, {}, 'an extension could not end its work')
    }
  }

  /** Closes the connection for an extension. Other clients than violators get time to read what is in the buffer. */
  #closeFor(code: number, reason: string): void {
    if (code === closeCodes.policyViolation) {
      void this.#close(code, reason)
      return
    }
    this.#hasClosed = true
    this.socket.close(code, reason)
  }

  async #close(code: number, reason: string): Promise<void> {
    this.#hasClosed = true
    this.socket.close(code, reason)
    await withTimeout(this.#closed, closeMs).catch(() => undefined)
    this.socket.terminate()
  }

  #receive(data: Buffer, isBinary: boolean): void {
    // A client that does not answer the close frame must not start more calls.
    if (this.#hasClosed) return
    // Binary frames need no parsing, so they wait only for earlier text frames, and for the next turn if there are many.
    if (isBinary && this.#unread === 0 && this.#binaryInTurn < maxInTurn) {
      if (this.#binaryInTurn === 0) setImmediate(this.#beginTurn)
      this.#binaryInTurn++
      this.#receiveBinary(data)
      return
    }
    // Stops reading from the socket until these messages are read.
    if (++this.#unread > maxInTurn || isLong(data)) this.socket.pause()
    this.#reading = this.#reading.then(() => (isBinary ? this.#receiveBinaryInTurn(data) : this.#receiveText(data)))
  }

  readonly #beginTurn = (): void => {
    this.#binaryInTurn = 0
  }

  async #receiveBinaryInTurn(data: Buffer): Promise<void> {
    this.#receiveBinary(data)
    await this.#received()
  }

  #receiveBinary(data: Buffer): void {
    if (this.#hasClosed || this.#isServed((handler) => handler.receiveBinary?.(data))) return
    void this.#close(closeCodes.unsupportedData, 'messages must be text')
  }

  #open(open: OpenSocketHandler, shared: SharedSocket): void {
    runFenced(
      () => {
        const handler: unknown = open(shared)
        if (!isObject(handler) || isPromiseLike(handler)) return Promise.resolve(handler).then(rejectHandler)
        this.#handlers.push(handler)
        return undefined
      },
      (error) => this.#extensionFailed(error),
    )
  }

  /** Whether the handler of an extension serves a frame. An error of a handler disconnects the client. */
  #isServed(serve: (handler: SocketHandler) => unknown): boolean {
    try {
      return this.#handlers.some((handler) => this.#isAccepted(serve(handler)))
    } catch (error) {
      this.#extensionFailed(error)
      return true
    }
  }

  /** @param served The result of a handler. An `async` handler serves every frame. */
  #isAccepted(served: unknown): boolean {
    if (isPromiseLike(served)) Promise.resolve(served).catch((error: unknown) => this.#extensionFailed(error))
    return Boolean(served)
  }

  #extensionFailed(error: unknown): void {
    this.#logExtension(error)
    this.socket.terminate()
  }

  #tryToCall(call: () => unknown): void {
    runFenced(call, (error) => this.#logExtension(error))
  }

  #logExtension(error: unknown): void {
    logFailure(this.endpoint.server.log, error, {}, 'an extension could not serve a WebSocket')
  }

  async #receiveText(data: Buffer): Promise<void> {
    const { socket } = this
    const { limits, oversizedMessages } = this.endpoint.server
    try {
      // The size is checked here, too, because a WebSocket server of the application may have another limit.
      if (data.length > limits.maxMessageBytes) throw bodyTooLarge(limits.maxMessageBytes)
      const message = await readInTurn(data, limits)
      await this.#connection.readyForNext()
      if (this.#hasClosed || socket.readyState === socket.CLOSED) return
      if (!this.#isServed((handler) => handler.receiveText?.(message, data.length))) this.#receiveMessage(message)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      oversizedMessages.addIfTooLarge(error)
      this.#outbox.respond(errorResponse(idOfRejected(data, error), error))
    } finally {
      await this.#received()
    }
  }

  async #received(): Promise<void> {
    this.#readInTurn++
    // Other clients are served in between if there are many messages.
    if (this.#readInTurn >= maxInTurn) await nextTurn()
    this.#unread--
    if (this.#unread === 0 || this.#readInTurn >= maxInTurn) this.#readInTurn = 0
    this.#goOn()
  }

  #goOn(): void {
    const { socket } = this
    if (this.#unread === 0 && this.#holds === 0 && socket.isPaused) socket.resume()
  }

  /** Stops reading for an extension. @returns A function that resumes reading. */
  #hold(): () => void {
    this.#holds++
    this.socket.pause()
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holds--
      this.#goOn()
    }
  }

  #receiveMessage(value: unknown): void {
    const message = readMessage(value)
    // Notifications and responses are always accepted: a running call may wait for the response or be cancelled.
    const isQuick = message.kind === 'notification' || message.kind === 'response'
    const rejection = isQuick ? null : this.#rejection()
    if (rejection === null) this.#connection.receive(value)
    else this.#outbox.respond(errorResponse(message.kind === 'request' ? message.id : undefined, rejection))
  }

  #checkStart(): void {
    if (this.#isClosing) throw serverCloses()
    this.#connection.checkStart()
  }

  #rejection(): LimitError | null {
    if (this.#isClosing) return serverCloses()
    if (this.#connection.inFlight < maxInFlight) return null
    return new LimitError('unavailable', `At most ${maxInFlight} requests are served at once`)
  }

  #outputOver(link: Socket): Output {
    const { socket } = this
    return {
      get bufferedBytes() {
        return link.writableNeedDrain ? socket.bufferedAmount : 0
      },
      write: (message, onSent) => {
        if (socket.readyState === socket.OPEN) socket.send(message, onSent)
      },
      cut: () => socket.terminate(),
    }
  }

  /** Stops reading while the client reads too slowly, as Node does for HTTP/1. */
  #reader(): Paused {
    let resume = (): void => undefined
    return {
      hold: () => {
        resume = this.#hold()
      },
      release: () => resume(),
    }
  }
}

function rejectHandler(handler: unknown): never {
  throw new TypeError(`The function of webSocket returned ${describeValue(handler)}. Return an object, not a promise`)
}
