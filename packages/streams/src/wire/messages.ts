import { StreamError, streamErrors } from './stream-error.js'

// The text frames of the stream protocol 1.0 of MCP Gateway. `window` is an addition: it makes flow control possible, and is
// sent only to clients that announce a window.

/** Identifier of the extension, under which a server declares its limits to clients. */
export const streamsExtension = 'toolwright/streams'

type Json = Readonly<Record<string, unknown>>

export interface StreamMeta {
  /** Name of the tool that the client starts. In the `start` message of a tool's output: name of the content. */
  readonly method: string
  /** Whether chunks are binary frames. Otherwise, the chunks are JSON. */
  readonly binary?: boolean | undefined
  /** Name of the content, such as a file name. */
  readonly name?: string | undefined
  /** Media type of the content. */
  readonly mime?: string | undefined
  /** For the output of a tool: the id of the stream that the client started. */
  readonly correlationId?: string | undefined
  /** Bytes of the whole content. */
  readonly totalSize?: number | undefined
  readonly compression?: string | undefined
  readonly encoding?: string | undefined
}

export interface StartMeta extends StreamMeta {
  readonly arguments?: Json | undefined
  /** Bytes of output that the client can buffer. Flow control is on if the client announces this number. */
  readonly window?: number | undefined
}

export type StreamMessage =
  | { readonly type: 'start'; readonly id: string; readonly meta: StartMeta }
  | { readonly type: 'chunk'; readonly id: string; readonly index: number | null; readonly data: unknown }
  | { readonly type: 'done'; readonly id: string; readonly summary: unknown }
  | { readonly type: 'error'; readonly id: string; readonly error: StreamError }
  | {
      readonly type: 'window'
      readonly id: string
      readonly bytes: number
      readonly chunks: ChunkRules
    }

/** Rules for the chunks of a client, in the first `window` message of a server. */
export interface ChunkRules {
  /** Whether the chunks are bytes. */
  readonly binary?: boolean
  /** Maximum bytes of a frame with a chunk. */
  readonly maxChunkBytes?: number
}

/** Maximum bytes that one side can let the other side send at once. The numbers of a peer stay exact below this limit. */
export const maxWindow = 2 ** 30

const maxIdLength = 256

/**
 * Whether a message belongs to the stream protocol: it has a type, and is not JSON-RPC. Does not validate
 * the message.
 */
export function isStreamMessage(message: unknown): message is Json {
  return isObject(message) && typeof message['type'] === 'string' && message['jsonrpc'] === undefined
}

/** Returns the id of a message, even if the message is invalid; `null` without an id. */
export function idOf(message: unknown): string | null {
  const id = isObject(message) ? message['id'] : null
  return typeof id === 'string' && id.length <= maxIdLength ? id : null
}

/** Reads a message. @throws StreamError -32600 for an invalid message. */
export function readMessage(message: Json): StreamMessage {
  const id = idOf(message)
  if (id === null) throw invalid(`"id" must be a string of at most ${maxIdLength} characters`)
  const { type } = message
  switch (type) {
    case 'start':
      return { type, id, meta: readMeta(message['meta']) }
    case 'chunk':
      return { type, id, index: readIndex(message['index']), data: message['data'] }
    case 'done':
      return { type, id, summary: message['summary'] }
    case 'error':
      return { type, id, error: readError(message['error']) }
    case 'window':
      return { type, id, bytes: readCount(message['bytes'], 'bytes', 1, maxWindow), chunks: readRules(message) }
    default:
      throw invalid('"type" must be start, chunk, done, error or window')
  }
}

function readMeta(meta: unknown): StartMeta {
  if (!isObject(meta)) throw invalid('"meta" must be an object')
  const { method, arguments: args, window: bytes, binary, totalSize } = meta
  if (typeof method !== 'string' || method === '') throw invalid('"meta.method" must be the name of a tool')
  if (binary !== undefined && typeof binary !== 'boolean') throw invalid('"meta.binary" must be true or false')
  if (args !== undefined && !isObject(args)) throw invalid('"meta.arguments" must be an object')
  const texts = ['name', 'mime', 'correlationId', 'compression', 'encoding'] as const
  const read = texts.flatMap((name) => {
    const value = meta[name] ?? undefined
    if (value === undefined) return []
    if (typeof value !== 'string') throw invalid(`"meta.${name}" must be a string`)
    return [[name, value]]
  })
  return {
    method,
    binary,
    ...(Object.fromEntries(read) as Partial<StreamMeta>),
    ...(totalSize === undefined || totalSize === null ? {} : { totalSize: readCount(totalSize, 'meta.totalSize', 0) }),
    ...(args === undefined ? {} : { arguments: args }),
    ...(bytes === undefined ? {} : { window: readCount(bytes, 'meta.window', 1, maxWindow) }),
  }
}

function readRules({ binary, maxChunkBytes }: Json): ChunkRules {
  return {
    ...(typeof binary === 'boolean' ? { binary } : {}),
    ...(maxChunkBytes === undefined ? {} : { maxChunkBytes: readCount(maxChunkBytes, 'maxChunkBytes', 1) }),
  }
}

function readIndex(index: unknown): number | null {
  return index === undefined || index === null ? null : readCount(index, 'index', 0)
}

function readCount(value: unknown, name: string, min: number, max = Infinity): number {
  const isWhole = Number.isSafeInteger(value) && (value as number) >= min
  if (!isWhole) throw invalid(`"${name}" must be a whole number of at least ${min}`)
  if ((value as number) > max) throw invalid(`"${name}" must be at most ${max}`)
  return value as number
}

/** Reads the error of the other side. Accepts a malformed error, because any error ends the stream. */
function readError(error: unknown): StreamError {
  const { code, message, data } = isObject(error) ? error : {}
  return new StreamError(
    typeof message === 'string' ? message : 'The other side ended the stream with an error',
    typeof code === 'number' ? code : streamErrors.failed,
    data,
  )
}

function invalid(reason: string): StreamError {
  return new StreamError(`Invalid stream message: ${reason}`, streamErrors.invalidRequest)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function encodeStart(id: string, meta: StartMeta): string {
  return encode('start', id, { meta })
}

export function encodeChunk(id: string, index: number, data: unknown): string {
  const json = JSON.stringify(data) as string | undefined
  if (json === undefined) throw new TypeError(`A chunk of a text stream must be JSON, but is ${typeof data}`)
  return `${encode('chunk', id, { index }).slice(0, -1)},"data":${json}}`
}

export function encodeDone(id: string, summary: unknown): string {
  return encode('done', id, { summary })
}

/** @param id `null` for an error that belongs to no stream. */
export function encodeError(id: string | null, { code, message, data }: StreamError): string {
  return encode('error', id, { error: { code, message, data } })
}

export function encodeWindow(id: string, bytes: number, chunks: ChunkRules = {}): string {
  return encode('window', id, { bytes, ...chunks })
}

function encode(type: StreamMessage['type'], id: string | null, members: object): string {
  return JSON.stringify({ type, timestamp: new Date().toISOString(), id, ...members })
}

/** Returns the UTF-8 length of a text frame: the bytes that flow control counts. */
export function bytesOf(text: string): number {
  // In Node, the text is measured without a copy.
  return nodeBuffer?.byteLength(text) ?? encoder.encode(text).length
}

const { Buffer: nodeBuffer } = globalThis as { readonly Buffer?: { byteLength(text: string): number } }
const encoder = new TextEncoder()
