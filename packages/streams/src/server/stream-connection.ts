import { randomUUID } from 'node:crypto'
import type { ExtendedServer, ExtendedSocket, SocketHandler, ToolDefinition } from '@toolwright/core'
import { type StreamSettings, settingsOf } from '../decorators/stream-settings.js'
import { decodeFrame } from '../wire/binary-frame.js'
import { bytesToGuid, zeroKey } from '../wire/guid.js'
import {
  encodeError,
  idOf,
  isStreamMessage,
  readMessage,
  type StartMeta,
  type StreamMessage,
} from '../wire/messages.js'
import { StreamError, streamErrors } from '../wire/stream-error.js'
import type { ReadStreamsOptions } from './options.js'
import { SendQueue } from './send-queue.js'
import { disconnected, ServerStream, type StreamEnd } from './server-stream.js'
import type { StreamTotals } from './stream-totals.js'

/** Number of invalid messages after which a client is disconnected. */
const maxInvalid = 100

/** Maximum number of ended streams that a connection stores, so that late chunks are not errors. */
const maxEnded = 256

/** Close codes of RFC 6455, section 7.4.1. */
const closeCodes = { normal: 1000, policyViolation: 1008, internalError: 1011 } as const

interface Ended {
  /** Whether the client had sent everything. If so, another chunk is a mistake. */
  readonly isComplete: boolean
}

/** The streams of one WebSocket. */
export class StreamConnection implements SocketHandler {
  readonly queue: SendQueue
  readonly #streams = new Map<string, ServerStream>()
  readonly #byKey = new Map<string, ServerStream>()
  readonly #byOutput = new Map<string, ServerStream>()
  readonly #ended = new Map<string, Ended>()
  readonly #closing = new AbortController()
  #invalid = 0
  #onIdle: (() => void) | null = null

  constructor(
    readonly server: ExtendedServer,
    readonly socket: ExtendedSocket,
    readonly options: ReadStreamsOptions,
    readonly totals: StreamTotals,
  ) {
    this.queue = new SendQueue(socket, server.limits.maxBufferedBytes)
  }

  /** A new object for each message, because `enabled` functions decide for each request. */
  get #viewer() {
    const { principal, headers } = this.socket
    return { principal, transport: 'websocket', headers, meta: {} } as const
  }

  get closingSignal(): AbortSignal {
    return this.#closing.signal
  }

  send(message: string): void {
    this.socket.send(message)
  }

  receiveText(message: unknown, bytes: number): boolean {
    if (!isStreamMessage(message)) return this.options.startByRequest && this.#startByRequest(message)
    this.#guard(idOf(message), () => this.#receive(readMessage(message), bytes))
    return true
  }

  receiveBinary(bytes: Uint8Array): boolean {
    const frame = decodeFrame(bytes)
    const stream = frame === null ? undefined : this.#byKey.get(frame.key)
    const id = stream?.id ?? (frame === null ? null : bytesToGuid(bytes))
    this.#guard(id, () => {
      if (frame === null) throw invalid('A binary frame is shorter than its header')
      if (stream === undefined) this.#lateChunk(frame.key)
      else stream.receiveBytes(frame)
    })
    return true
  }

  closing(): void {
    this.#closing.abort()
  }

  /** Running streams continue, like running calls. A tool with an endless stream should return. */
  async expired(): Promise<void> {
    this.#closing.abort()
    if (this.#streams.size === 0) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  disconnected(): void {
    for (const stream of this.#streams.values()) stream.abort(disconnected())
  }

  outputOpened(stream: ServerStream, outputId: string): void {
    this.#byOutput.set(outputId, stream)
  }

  closed(stream: ServerStream, end: StreamEnd): void {
    const { id, key, outputId, hasFlowControl } = stream
    if (!this.#streams.delete(id)) return
    this.queue.drop(stream)
    if (this.#streams.size === 0) this.#onIdle?.()
    if (this.#byKey.get(key) === stream) this.#byKey.delete(key)
    if (outputId !== null) this.#byOutput.delete(outputId)
    this.#remember(stream)
    if (hasFlowControl || !this.options.closeWhenDone || end === 'rejected') return
    if (end === 'complete') this.socket.close(closeCodes.normal, 'Tool complete')
    else this.socket.close(closeCodes.internalError, 'Tool error')
  }

  /** Runs a function for a stream. An error ends the stream. If the stream is unknown, the error is only sent. */
  #guard(id: string | null, receive: () => void): void {
    try {
      receive()
    } catch (error) {
      if (!(error instanceof StreamError)) throw error
      const stream = id === null ? undefined : this.#streams.get(id)
      if (stream === undefined) this.send(encodeError(id, error))
      else stream.fail(error)
      this.#invalid++
      if (this.#invalid === maxInvalid)
        this.socket.close(closeCodes.policyViolation, 'too many invalid stream messages')
    }
  }

  #receive(message: StreamMessage, bytes: number): void {
    const { id, type } = message
    if (type === 'start') {
      this.#start(id, message.meta)
      return
    }
    const stream = this.#streams.get(id)
    if (stream !== undefined) receiveOf(stream, message, bytes)
    else if (type === 'error' && this.#byOutput.has(id)) this.#byOutput.get(id)?.stopOutput(message.error)
    else if (type === 'chunk') this.#lateChunk(id)
    else if (!this.#ended.has(id)) throw unknown()
  }

  /** @throws StreamError unless the chunk was on its way when its stream ended. */
  #lateChunk(idOrKey: string): void {
    const ended = this.#ended.get(idOrKey)
    if (ended === undefined) throw unknown()
    if (ended.isComplete) throw new StreamError("A chunk was sent after 'done'")
  }

  #start(id: string, meta: StartMeta): void {
    const { server } = this
    const tool = server.catalog.tools.get(meta.method)
    const settings = tool === undefined ? null : settingsOf(tool)
    const isVisible = tool !== undefined && server.catalog.tools.visibleTo(this.#viewer).includes(tool)
    this.#checkRoom(id, meta)
    if (isVisible) checkKind(tool, settings, meta)
    // An unknown or hidden tool is called as well: the call rejects, counts and reports the access, like every call.
    const stream = new ServerStream(this, id, meta, (isVisible ? settings : null) ?? noSettings)
    if (this.#byKey.has(stream.key) && (stream.key !== zeroKey || stream.isBinary)) {
      throw invalid('The id of a stream with binary chunks must be a GUID that no other stream has')
    }
    this.#ended.delete(id)
    this.#ended.delete(stream.key)
    this.#streams.set(id, stream)
    if (!this.#byKey.has(stream.key)) this.#byKey.set(stream.key, stream)
    stream.open()
  }

  #checkRoom(id: string, { window }: StartMeta): void {
    const { maxStreams } = this.options
    if (this.#streams.has(id)) throw invalid('A stream with this id is already open')
    if (this.#streams.size >= maxStreams) throw new StreamError(`At most ${maxStreams} streams may be open at once`)
    const isShared = this.#streams.size > 0
    const isControlled = window !== undefined && [...this.#streams.values()].every((other) => other.hasFlowControl)
    if (isShared && !isControlled) {
      throw new StreamError(
        'Streams that share a connection need flow control: give "meta.window" in each start message',
      )
    }
  }

  /** Starts a stream for a request that names a stream tool. @returns Whether the request names a stream tool. */
  #startByRequest(message: unknown): boolean {
    const { jsonrpc, method, params } = (message ?? {}) as Readonly<Record<string, unknown>>
    if (jsonrpc !== '2.0' || typeof method !== 'string') return false
    const named = (params ?? {}) as { readonly name?: unknown; readonly arguments?: unknown }
    const [name, args] = method === 'tools/call' ? [named.name, named.arguments] : [method, params]
    const { tools } = this.server.catalog
    const tool = tools.get(String(name))
    const settings = tool === undefined ? null : settingsOf(tool)
    if (tool === undefined || settings === null || !tools.visibleTo(this.#viewer).includes(tool)) return false
    const id = randomUUID()
    const isObject = typeof args === 'object' && args !== null && !Array.isArray(args)
    const meta = { method: tool.name, binary: settings.kind === 'binary' }
    this.#guard(id, () => this.#start(id, isObject ? { ...meta, arguments: args as StartMeta['arguments'] } : meta))
    return true
  }

  #remember({ id, key, hasEnded }: ServerStream): void {
    const ended = { isComplete: hasEnded }
    this.#ended.set(id, ended)
    if (key !== zeroKey) this.#ended.set(key, ended)
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= maxEnded) break
      this.#ended.delete(oldest)
    }
  }
}

/** Settings for an unknown tool or a tool that does not stream: its call fails. */
const noSettings: StreamSettings = { kind: 'binary', idleTimeoutMs: undefined, maxBytes: undefined }

function receiveOf(stream: ServerStream, message: Exclude<StreamMessage, { type: 'start' }>, bytes: number): void {
  switch (message.type) {
    case 'chunk':
      stream.receiveJson(message.data, message.index, bytes)
      break
    case 'window':
      stream.receiveWindow(message.bytes)
      break
    case 'done':
      stream.receiveDone()
      break
    case 'error':
      stream.abort(message.error)
      break
  }
}

function checkKind({ name }: ToolDefinition, settings: StreamSettings | null, { binary }: StartMeta): void {
  if (settings === null) {
    throw new StreamError(`Tool '${name}' does not stream. Call it with tools/call`, streamErrors.methodNotFound)
  }
  const isBinary = settings.kind === 'binary'
  if (binary === undefined || binary === isBinary) return
  const chunks = isBinary ? 'bytes' : 'JSON'
  throw invalid(`Tool '${name}' streams ${chunks}: give "meta.binary": ${isBinary}`)
}

function unknown(): StreamError {
  return invalid('There is no stream with this id')
}

function invalid(message: string): StreamError {
  return new StreamError(message, streamErrors.invalidRequest)
}
