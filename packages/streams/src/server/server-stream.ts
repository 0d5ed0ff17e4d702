import { randomUUID } from 'node:crypto'
import { ProtocolError } from '@toolwright/core'
import { callerOf, logFailure } from '@toolwright/core/host'
import type { StreamSettings } from '../decorators/stream-settings.js'
import { maxFrameIn } from '../flow/cost.js'
import { Incoming } from '../flow/incoming.js'
import { Outgoing } from '../flow/outgoing.js'
import { splitBytes } from '../flow/split.js'
import { type BinaryFrame, encodeFrame, headerLength } from '../wire/binary-frame.js'
import { guidKey, guidToBytes } from '../wire/guid.js'
import { encodeChunk, encodeDone, encodeError, encodeStart, encodeWindow, type StartMeta } from '../wire/messages.js'
import { StreamError, toStreamError } from '../wire/stream-error.js'
import type { Channel, OutputMeta } from './channels.js'
import { IdleWatch } from './idle-watch.js'
import { packBytes, packJson, unpackJson } from './pack.js'
import type { StreamConnection } from './stream-connection.js'
import { StreamExchange } from './stream-exchange.js'
import { readSummary } from './summary.js'

export type StreamEnd = 'complete' | 'failed' | 'rejected'

export class ServerStream implements Channel {
  readonly readable: ReadableStream<unknown>
  readonly writable: WritableStream<unknown>
  /** See {@link guidKey}. */
  readonly key: string
  readonly hasFlowControl: boolean
  readonly #incoming: Incoming<unknown>
  readonly #outgoing: Outgoing<unknown>
  readonly #exchange: StreamExchange
  readonly #caller: string
  #outputId: string | null = null
  #outputGuid: Uint8Array = new Uint8Array()
  #outputMeta: OutputMeta = {}
  #sentChunks = 0
  #receivedChunks = 0
  #receivedBytes = 0
  #returned = 'undefined'
  /** Bytes of received chunks that the tool has not read, as counted for the limit of the server. */
  #unreadBytes = 0
  #isCounted = false
  #release: (() => void) | null = null
  #isStarted = false
  #isOver = false
  readonly #idleWatch: IdleWatch

  constructor(
    private readonly connection: StreamConnection,
    readonly id: string,
    readonly meta: StartMeta,
    private readonly settings: StreamSettings,
  ) {
    this.key = guidKey(guidToBytes(id))
    this.hasFlowControl = meta.window !== undefined
    const { isBinary } = this
    const { windowBytes } = connection.options
    const onWaiting = (): void => this.#idleWatch.touch()
    this.#incoming = new Incoming<unknown>({
      windowBytes,
      canOverdraw: false,
      ...(isBinary ? { pack: packBytes } : { pack: packJson, unpack: unpackJson }),
      grant: (bytes) => connection.send(encodeWindow(id, bytes)),
      onStored: (bytes) => this.#stored(bytes, windowBytes),
      onWaiting,
    })
    if (!this.hasFlowControl) this.#incoming.open(Infinity)
    this.#outgoing = new Outgoing<unknown>({
      credit: meta.window ?? Infinity,
      canOverdraw: true,
      split: isBinary ? (chunk) => splitBytes(chunk) : (chunk) => [chunk],
      encode: isBinary ? (bytes) => this.#encodeBytes(bytes as Uint8Array) : (data) => this.#encodeJson(data),
      send: (frame, bytes) => this.#send(frame, bytes),
      onWaiting,
      onClose: () => this.#endOutput(undefined),
      onAbort: (reason) => this.#abortOutput(reason),
    })
    const idleMs = settings.idleTimeoutMs ?? connection.options.idleTimeoutMs
    this.#idleWatch = new IdleWatch(
      idleMs,
      () => this.#incoming.isWaiting || this.#outgoing.isWaiting,
      () => this.fail(idle(idleMs)),
    )
    this.readable = this.#incoming.readable
    this.writable = this.#outgoing.writable
    const tool = { name: meta.method, args: meta.arguments ?? {} }
    this.#exchange = new StreamExchange(connection.server, connection.socket, tool, {
      channel: this,
      onStarted: () => this.#start(),
      onAnswer: (body) => this.#answered(body),
      onCrash: (error) => this.#crashed(error),
    })
    this.#caller = callerOf(this.#exchange)
  }

  get closing(): AbortSignal {
    return this.connection.closingSignal
  }

  get isBinary(): boolean {
    return this.settings.kind === 'binary'
  }

  get hasEnded(): boolean {
    return this.#incoming.hasEnded
  }

  /** Id of the output; `null` until the tool sends a chunk. */
  get outputId(): string | null {
    return this.#outputId
  }

  open(): void {
    try {
      this.connection.socket.checkStart()
      this.connection.totals.open(this.#caller)
      this.#isCounted = true
      this.#exchange.start()
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.fail(new StreamError(error.message, error.code, error.data))
    }
  }

  describe(meta: OutputMeta): void {
    if (this.#outputId !== null)
      throw new Error('describe() was called after the first chunk was sent. Call it before.')
    this.#outputMeta = { ...this.#outputMeta, ...meta }
  }

  returned(value: unknown): void {
    this.#returned = typeof value
  }

  receiveBytes({ index, payload }: BinaryFrame): void {
    if (!this.isBinary) throw new StreamError('A chunk must be JSON, but is binary')
    this.#receive(payload, index, payload.length + headerLength)
  }

  receiveJson(data: unknown, index: number | null, bytes: number): void {
    if (this.isBinary) throw new StreamError('A chunk must be binary, but is JSON')
    this.#receive(data, index, bytes)
  }

  receiveDone(): void {
    this.#idleWatch.touch()
    this.#incoming.end()
  }

  /** Called when the client accepts more output. @throws StreamError if the client has granted too much. */
  receiveWindow(bytes: number): void {
    if (this.#outgoing.grant(bytes)) this.#idleWatch.touch()
  }

  stopOutput(error: StreamError): void {
    this.#outgoing.fail(error)
    this.connection.queue.drop(this)
  }

  fail(error: StreamError): void {
    if (this.#isOver) return
    if (this.#outputId !== null && !this.#outgoing.isOver) this.connection.send(encodeError(this.#outputId, error))
    this.connection.send(encodeError(this.id, error))
    this.#close(error, this.#isStarted ? 'failed' : 'rejected')
  }

  abort(error: StreamError): void {
    if (!this.#isOver) this.#close(error, 'complete')
  }

  #start(): void {
    this.#isStarted = true
    if (this.hasFlowControl) {
      const { options, server } = this.connection
      const maxChunkBytes = Math.min(maxFrameIn(options.windowBytes), server.limits.maxMessageBytes)
      this.#incoming.open(options.windowBytes)
      this.connection.send(encodeWindow(this.id, options.windowBytes, { binary: this.isBinary, maxChunkBytes }))
    }
    this.#idleWatch.start()
  }

  #receive(chunk: unknown, index: number | null, bytes: number): void {
    this.#idleWatch.touch()
    if (this.#incoming.hasEnded) throw new StreamError("A chunk was sent after 'done'")
    // The index of clients of MCP Gateway is not checked: they may send any index, and frames arrive in order anyway.
    if (this.hasFlowControl && index !== this.#receivedChunks) {
      throw new StreamError(`The index of a chunk is ${index}, but must be ${this.#receivedChunks}`)
    }
    this.#receivedChunks++
    this.#receivedBytes += bytes
    this.connection.totals.received += bytes
    const maxBytes = this.settings.maxBytes ?? this.connection.options.maxBytes
    if (this.#receivedBytes > maxBytes) throw new StreamError(`The client sent more than ${maxBytes} bytes`)
    this.#incoming.receive(chunk, bytes)
  }

  /** Counts the unread bytes. Stops reading from a client without flow control while the tool does not read. */
  #stored(stored: number, windowBytes: number): void {
    this.connection.totals.changeUnread(this.#caller, stored - this.#unreadBytes)
    this.#unreadBytes = stored
    if (this.hasFlowControl) return
    if (stored > windowBytes) this.#release ??= this.connection.socket.hold()
    else if (stored * 2 <= windowBytes) this.#goOn()
  }

  #goOn(): void {
    this.#release?.()
    this.#release = null
  }

  #encodeBytes(bytes: Uint8Array): Uint8Array {
    this.#openOutput()
    return encodeFrame(this.#outputGuid, this.#sentChunks++, bytes)
  }

  #encodeJson(data: unknown): string {
    const json = encodeChunk(this.#openOutput(), this.#sentChunks, data)
    this.#sentChunks++
    return json
  }

  #send(frame: string | Uint8Array, bytes: number): Promise<void> | null {
    const { connection } = this
    // The `close` event of the WebSocket comes later, if the client does not read.
    if (!connection.socket.isOpen) {
      connection.disconnected()
      throw disconnected()
    }
    connection.totals.sent += bytes
    return connection.queue.send(this, frame)
  }

  /** Describes the output to the client, before its first chunk. */
  #openOutput(): string {
    if (this.#outputId !== null) return this.#outputId
    this.#outputId = randomUUID()
    this.#outputGuid = guidToBytes(this.#outputId)
    const meta = { method: 'result', binary: this.isBinary, ...this.#outputMeta, correlationId: this.id }
    this.connection.send(encodeStart(this.#outputId, meta))
    this.connection.outputOpened(this, this.#outputId)
    return this.#outputId
  }

  #endOutput(summary: unknown): void {
    if (!this.#isOver) this.connection.send(encodeDone(this.#openOutput(), summary))
  }

  #abortOutput(reason: unknown): void {
    this.connection.queue.drop(this)
    if (!this.#isOver) this.connection.send(encodeError(this.#openOutput(), toStreamError(reason)))
  }

  #answered(body: string | null): void {
    if (this.#isOver) return
    try {
      void this.#complete(readSummary(body ?? '{}', this.#returned, this.meta.method))
    } catch (error) {
      this.fail(toStreamError(error))
    }
  }

  async #complete(summary: unknown): Promise<void> {
    await this.#outgoing.flushed()
    if (this.#isOver) return
    if (this.#outputId !== null && !this.#outgoing.isOver) this.#endOutput(summary)
    this.connection.send(encodeDone(this.id, summary))
    this.#close(new StreamError('The tool has returned'), 'complete')
  }

  #crashed(error: unknown): void {
    logFailure(this.connection.server.log, error, {}, 'the tool of a stream could not be called')
    this.fail(new StreamError('Internal error', -32603))
  }

  #close(error: StreamError, end: StreamEnd): void {
    this.#isOver = true
    this.#idleWatch.stop()
    this.#goOn()
    this.#incoming.fail(error)
    this.#outgoing.fail(error)
    if (this.#isCounted) this.connection.totals.close(this.#caller)
    this.connection.closed(this, end)
    this.#exchange.cancel(error.message)
  }
}

export function disconnected(): StreamError {
  return new StreamError('The client disconnected')
}

function idle(idleMs: number): StreamError {
  return new StreamError(`Stream timeout: the client was silent for ${idleMs} ms`, undefined, {
    timeout: idleMs / 1000,
  })
}
