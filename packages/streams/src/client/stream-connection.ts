import { decodeFrame } from '../wire/binary-frame.js'
import { guidKey, guidToBytes } from '../wire/guid.js'
import { bytesOf, isStreamMessage, readMessage, type StreamMessage } from '../wire/messages.js'
import { StreamError } from '../wire/stream-error.js'
import { type ClientLink, ClientStream, type StreamOptions } from './client-stream.js'
import type { Socket } from './socket.js'

const normalClosure = 1000

type AnyStream = ClientStream<unknown, unknown>

/** The streams of an open WebSocket. */
export class StreamConnection {
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>
  readonly #socket: Socket
  readonly #streams = new Map<string, AnyStream>()
  /** Streams by the id of their output. */
  readonly #byOutput = new Map<string, AnyStream>()
  /** Streams by the id of their output, in the form that binary frames use. */
  readonly #byKey = new Map<string, AnyStream>()
  readonly #link: ClientLink
  #isClosed = false

  /** @param socket WebSocket whose binary messages are `Uint8Array` or `ArrayBuffer`. */
  constructor(socket: Socket) {
    this.#socket = socket
    this.#link = {
      send: (frame) => socket.send(frame),
      ended: (stream) => this.#ended(stream),
    }
    socket.addEventListener('message', ({ data }) => this.#receive(data))
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => {
        this.#lost(new StreamError(`The connection was closed: ${reason === '' ? `code ${code}` : reason}`))
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
    if (this.#isClosed) throw new StreamError('The connection is closed')
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
        stream?.receiveWindow(message.bytes, message.binary)
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
    if (stream === undefined) return
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

  #lost(error: StreamError): void {
    this.#isClosed = true
    for (const stream of this.#streams.values()) stream.receiveError(error)
  }
}

/** @returns `null` for a text that is not a stream message. */
function parse(text: string): StreamMessage | null {
  try {
    const message: unknown = JSON.parse(text)
    return isStreamMessage(message) ? readMessage(message) : null
  } catch {
    return null
  }
}
