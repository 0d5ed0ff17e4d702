import { decodeFrame } from '../wire/binary-frame.js'
import { guidKey, guidToBytes } from '../wire/guid.js'
import { bytesOf, isStreamMessage, readMessage, type StreamMessage } from '../wire/messages.js'
import { StreamError } from '../wire/stream-error.js'
import { type ClientLink, ClientStream, type StreamOptions } from './client-stream.js'
import type { Socket } from './socket.js'

const normalClosure = 1000

const open = 1

/** High water mark in bytes: while the buffer of the WebSocket contains more, chunks wait. */
const mark = 1024 * 1024

/** Milliseconds between two looks at the buffer, because WebSockets of browsers have no event for it. */
const lookMs = 1

type AnyStream = ClientStream<unknown, unknown>

/** The streams of an open WebSocket. */
export class StreamConnection {
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>
  readonly #socket: Socket
  readonly #streams = new Map<string, AnyStream>()
  readonly #byOutput = new Map<string, AnyStream>()
  readonly #byKey = new Map<string, AnyStream>()
  readonly #link: ClientLink
  /** Resolves when the buffer has room. All streams wait for the same promise. */
  #draining: Promise<void> | null = null
  #isClosed = false

  /** @param socket WebSocket whose binary messages are `Uint8Array` or `ArrayBuffer`. */
  constructor(socket: Socket) {
    this.#socket = socket
    this.#link = {
      send: (frame) => this.#send(frame),
      room: () => this.#room(),
      ended: (stream) => this.#ended(stream),
    }
    socket.addEventListener('message', ({ data }) => this.#receive(data))
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => {
        this.#lost(reason === '' ? `code ${code}` : reason)
        resolve()
      })
    })
  }

  /**
   * Opens a stream with a tool. Does not wait for the server: if the server rejects the stream, `done`, `readable` and
   * `writable` fail.
   *
   * @param tool Name of the tool.
   * @param args Arguments of the tool.
   * @throws StreamError if the connection is closed.
   */
  open<In = Uint8Array, Out = In, Result = unknown>(
    tool: string,
    args: object = {},
    options: StreamOptions = {},
  ): ClientStream<In, Out, Result> {
    if (this.#isClosed || this.#socket.readyState !== open) throw new StreamError('The connection is closed')
    const stream = new ClientStream<In, Out, Result>(this.#link, tool, args, options)
    if (!stream.isOver) this.#streams.set(stream.id, stream as unknown as AnyStream)
    return stream
  }

  /** Closes the connection. Open streams fail. */
  async close(): Promise<void> {
    this.#socket.close(normalClosure)
    await this.closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #receive(data: unknown): void {
    if (typeof data === 'string') this.#receiveText(data)
    else this.#receiveBinary(data instanceof ArrayBuffer ? new Uint8Array(data) : (data as Uint8Array))
  }

  /** Ignores messages for streams that are not open: the server may have sent them before the stream ended. */
  #receiveText(text: string): void {
    const message = parse(text)
    if (message !== null) this.#dispatch(message, text)
  }

  #receiveBinary(bytes: Uint8Array): void {
    const frame = decodeFrame(bytes)
    if (frame !== null) this.#byKey.get(frame.key)?.receiveBytes(frame)
  }

  #dispatch(message: StreamMessage, text: string): void {
    const { id } = message
    const ofOutput = this.#byOutput.get(id)
    const stream = this.#streams.get(id)
    switch (message.type) {
      case 'start':
        this.#startOutput(message)
        break
      case 'chunk':
        ofOutput?.receiveJson(message.data, message.index, bytesOf(text))
        break
      case 'window':
        stream?.receiveWindow(message.bytes, message.chunks)
        break
      case 'done':
        if (stream === undefined) ofOutput?.outputDone()
        else stream.receiveDone(message.summary)
        break
      case 'error':
        if (stream === undefined) ofOutput?.outputFailed(message.error)
        else stream.receiveError(message.error)
        break
    }
  }

  #startOutput({ id, meta }: Extract<StreamMessage, { type: 'start' }>): void {
    const stream = this.#streams.get(meta.correlationId ?? '')
    // A stream has one output.
    if (stream === undefined || stream.outputId !== null) return
    this.#byOutput.set(id, stream)
    this.#byKey.set(guidKey(guidToBytes(id)), stream)
    stream.receiveStart(id, meta)
  }

  #ended(stream: ClientStream<never, never, never>): void {
    this.#streams.delete(stream.id)
    const { outputId } = stream
    if (outputId === null) return
    this.#byOutput.delete(outputId)
    this.#byKey.delete(guidKey(guidToBytes(outputId)))
  }

  #send(frame: string | Uint8Array): void {
    if (this.#socket.readyState === open) this.#socket.send(frame)
    else this.#lost('it is closing')
  }

  #room(): Promise<void> | null {
    if (this.#draining === null && this.#socket.bufferedAmount > mark) {
      this.#draining = this.#drained().finally(() => {
        this.#draining = null
      })
    }
    return this.#draining
  }

  async #drained(): Promise<void> {
    while (!this.#isClosed && this.#socket.bufferedAmount > mark) {
      await new Promise((resolve) => setTimeout(resolve, lookMs))
    }
  }

  #lost(reason: string): void {
    this.#isClosed = true
    const error = new StreamError(`The connection was closed: ${reason}`)
    for (const stream of this.#streams.values()) stream.receiveError(error)
  }
}

function parse(text: string): StreamMessage | null {
  try {
    const message: unknown = JSON.parse(text)
    return isStreamMessage(message) ? readMessage(message) : null
  } catch {
    return null
  }
}
