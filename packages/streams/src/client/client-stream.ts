import { Incoming } from '../flow/incoming.js'
import { Outgoing } from '../flow/outgoing.js'
import { splitBytes } from '../flow/split.js'
import { type BinaryFrame, encodeFrame, headerLength } from '../wire/binary-frame.js'
import { guidToBytes, randomGuid } from '../wire/guid.js'
import {
  bytesOf,
  type ChunkRules,
  encodeChunk,
  encodeDone,
  encodeError,
  encodeStart,
  encodeWindow,
  type StartMeta,
  type StreamMeta,
} from '../wire/messages.js'
import { StreamError, toStreamError } from '../wire/stream-error.js'

export interface StreamOptions {
  /** Name of the content, such as a file name. */
  readonly name?: string
  /** Media type of the content. */
  readonly mime?: string
  /** Bytes of the whole content. */
  readonly totalSize?: number
  /** Aborts the stream. */
  readonly signal?: AbortSignal
  /** Milliseconds until the server has to accept the stream. Default: no limit; in `@toolwright/client`, the timeout of `connect`. */
  readonly timeoutMs?: number
  /**
   * Maximum bytes of unread output. Above this size, the tool waits before it sends more. At most 1 GiB. Default: 512 KiB.
   */
  readonly windowBytes?: number
}

export interface ClientLink {
  /** Sends a frame. If the connection is closed, all its streams fail. */
  send(frame: string | Uint8Array): void
  /** Resolves when the connection accepts more bytes; `null` if it accepts them now. */
  room(): Promise<void> | null
  ended(stream: ClientStream<never, never, never>): void
}

const defaultWindow = 512 * 1024

const longestTimer = 2 ** 31 - 1

/**
 * A stream with a tool.
 *
 * @typeParam In Type of the chunks from the tool.
 * @typeParam Out Type of the chunks to the tool.
 * @typeParam Result Type of the value that the tool returns.
 */
export class ClientStream<In = Uint8Array, Out = In, Result = unknown> implements AsyncDisposable {
  readonly id = randomGuid()
  /**
   * Resolves to the value that the tool has returned. Rejects with a `StreamError` if the tool fails, if either side aborts,
   * or if the connection is lost.
   */
  readonly done: Promise<Result>
  /** Chunks from the tool. */
  readonly readable: ReadableStream<In>
  /**
   * Chunks to the tool. A write waits until the tool has read enough. Close the stream when everything is sent; writes
   * fail as soon as the tool has returned.
   */
  readonly writable: WritableStream<Out>
  readonly #incoming: Incoming<In>
  readonly #outgoing: Outgoing<Out>
  readonly #guid = guidToBytes(this.id)
  /** Whether the chunks are bytes. The first `window` message of the server sets this value. */
  #isBinary = true
  /** Maximum bytes of a frame. The first `window` message of the server sets this value. */
  #maxFrame = Infinity
  readonly #stopWatching: () => void
  readonly #acceptance: ReturnType<typeof setTimeout> | undefined
  #settle!: { readonly resolve: (summary: Result) => void; readonly reject: (error: StreamError) => void }
  #output: { readonly id: string; readonly meta: StreamMeta } | null = null
  #isOutputStopped = false
  #sentChunks = 0
  #receivedChunks = 0
  #isOver = false

  /** @internal */
  constructor(
    private readonly link: ClientLink,
    tool: string,
    args: object,
    { signal, timeoutMs = Infinity, windowBytes = defaultWindow, ...content }: StreamOptions,
  ) {
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    // Prevents an unhandled rejection: a caller that only reads gets the failure from `readable`.
    this.done.catch(() => undefined)
    this.#incoming = new Incoming<In>({
      windowBytes,
      canOverdraw: true,
      grant: (bytes) => link.send(encodeWindow(this.id, bytes)),
      onCancel: () => this.#stopOutput(),
    })
    this.#incoming.open(windowBytes)
    this.#outgoing = new Outgoing<Out>({
      credit: 0,
      canOverdraw: false,
      split: (chunk) => (this.#isBinary ? (this.#splitBytes(chunk) as Iterable<Out>) : [chunk]),
      encode: (part) => (this.#isBinary ? this.#encodeBytes(part as Uint8Array) : this.#encodeJson(part)),
      send: (frame) => {
        this.#send(frame)
        return link.room()
      },
      onClose: () => this.#send(encodeDone(this.id, undefined)),
      onAbort: (reason) => this.abort(reason),
    })
    this.readable = this.#incoming.readable
    this.writable = this.#outgoing.writable
    const onAbort = (): void => this.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort)
    this.#stopWatching = () => signal?.removeEventListener('abort', onAbort)
    if (timeoutMs <= longestTimer) {
      const error = new StreamError(`The server did not accept the stream within ${timeoutMs} ms`)
      this.#acceptance = setTimeout(() => this.abort(error), timeoutMs)
    }
    const meta: StartMeta = { method: tool, ...content, arguments: { ...args }, window: windowBytes }
    link.send(encodeStart(this.id, meta))
    if (signal?.aborted === true) onAbort()
  }

  /** Description of the output. `null` until the tool has sent anything. */
  get output(): StreamMeta | null {
    return this.#output?.meta ?? null
  }

  /** @internal Id of the output; `null` before the tool has sent anything. */
  get outputId(): string | null {
    return this.#output?.id ?? null
  }

  /** @internal */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Aborts the stream, unless it has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.abort()
  }

  /** Aborts the stream on both sides: the call is cancelled, and `done`, `readable` and `writable` fail. */
  abort(reason: unknown = new StreamError('The client aborted the stream')): void {
    if (this.#isOver) return
    const error = toStreamError(reason)
    this.#send(encodeError(this.id, error))
    this.#fail(error)
  }

  /** @internal */
  receiveWindow(bytes: number, { binary = this.#isBinary, maxChunkBytes = this.#maxFrame }: ChunkRules): void {
    clearTimeout(this.#acceptance)
    this.#isBinary = binary
    this.#maxFrame = maxChunkBytes
    try {
      this.#outgoing.grant(bytes)
    } catch (error) {
      this.abort(error)
    }
  }

  /** @internal Handles the description that the tool gives to its output. */
  receiveStart(id: string, meta: StreamMeta): void {
    clearTimeout(this.#acceptance)
    this.#output = { id, meta }
    if (this.#isOutputStopped) this.#stopOutput()
  }

  /** @internal */
  receiveBytes({ index, payload }: BinaryFrame): void {
    this.#receive(payload as In, index, payload.length + headerLength, true)
  }

  /** @internal */
  receiveJson(data: unknown, index: number | null, bytes: number): void {
    this.#receive(data as In, index, bytes, false)
  }

  /** @internal Called when the tool has closed its output. */
  outputDone(): void {
    this.#incoming.end()
  }

  /** @internal Called when the tool has ended its output with an error. */
  outputFailed(error: StreamError): void {
    this.#incoming.fail(error)
  }

  /** @internal Called when the tool has returned. */
  receiveDone(summary: unknown): void {
    this.#incoming.end()
    this.#outgoing.fail(new StreamError('The tool has returned, and no longer reads the stream'))
    this.#close()
    this.#settle.resolve(summary as Result)
  }

  /** @internal The stream has failed on the other side, or the connection is lost. */
  receiveError(error: StreamError): void {
    if (!this.#isOver) this.#fail(error)
  }

  #receive(chunk: In, index: number | null, bytes: number, isBinary: boolean): void {
    try {
      if (isBinary !== this.#isBinary) {
        throw new StreamError(`The tool sent ${isBinary ? 'bytes on a stream of JSON' : 'JSON on a stream of bytes'}`)
      }
      if (index !== this.#receivedChunks++) throw new StreamError('A chunk from the tool is missing')
      this.#incoming.receive(chunk, bytes)
    } catch (error) {
      this.abort(error)
    }
  }

  #splitBytes(chunk: unknown): Iterable<Uint8Array> {
    return splitBytes(chunk, Math.max(this.#maxFrame - headerLength, 1))
  }

  #encodeBytes(bytes: Uint8Array): Uint8Array {
    return encodeFrame(this.#guid, this.#sentChunks++, bytes)
  }

  #encodeJson(data: unknown): string {
    const json = encodeChunk(this.id, this.#sentChunks, data)
    if (bytesOf(json) > this.#maxFrame) {
      throw new StreamError(`A chunk has ${bytesOf(json)} bytes, but the server accepts at most ${this.#maxFrame}`)
    }
    this.#sentChunks++
    return json
  }

  #send(frame: string | Uint8Array): void {
    if (!this.#isOver) this.link.send(frame)
  }

  #stopOutput(): void {
    this.#isOutputStopped = true
    if (this.#output !== null)
      this.#send(encodeError(this.#output.id, new StreamError('The client no longer reads the output')))
  }

  #fail(error: StreamError): void {
    this.#incoming.fail(error)
    this.#outgoing.fail(error)
    this.#close()
    this.#settle.reject(error)
  }

  #close(): void {
    this.#isOver = true
    clearTimeout(this.#acceptance)
    this.#stopWatching()
    this.link.ended(this as never)
  }
}
