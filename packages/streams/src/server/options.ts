import {
  bytes,
  count,
  Diagnostics,
  flag,
  milliseconds,
  type OptionsOf,
  type ReadOptions,
  readNamedOptions,
} from '@toolwright/core/options'
import { maxWindow } from '../wire/messages.js'

const KiB = 1024
const GiB = 1024 * 1024 * KiB

export const streamsOptions = {
  /** Maximum streams on one WebSocket. When exceeded: the next stream is rejected. Default: 100. */
  maxStreams: count({ type: 'streams', default: 100 }),
  /**
   * Open streams of all WebSockets. One caller can have at most half of the streams that other callers leave. When exceeded:
   * the next stream is rejected. Default: 1,000.
   */
  maxOpenStreams: count({ type: 'streams', default: 1000 }),
  /**
   * Maximum unread bytes of one stream. Each chunk counts as 256 bytes more than its frame, and takes at most three quarters of
   * this limit. Clients with flow control never exceed this limit. At most 1 GiB. Default: 512 KiB.
   */
  windowBytes: bytes({ default: 512 * KiB, min: KiB, max: maxWindow }),
  /**
   * Unread bytes of all streams of the server. One caller can use at most half of the bytes that other callers leave. When
   * exceeded: the stream of the next chunk is aborted. Default: 128 MiB.
   */
  maxUnreadBytes: bytes({ default: 128 * KiB * KiB }),
  /**
   * Maximum bytes that the client sends on one stream. A tool can have another limit. When exceeded: the stream is
   * aborted. Default: 1024 MiB.
   */
  maxBytes: bytes({ default: GiB }),
  /**
   * Timeout for the client to send the next chunk, or to read so much output that the tool can write again. A tool can
   * have another limit. When exceeded: the stream is aborted. Default: 30,000.
   */
  idleTimeoutMs: milliseconds({ default: 30_000 }),
  /**
   * Closes the WebSocket of a client without flow control when the stream has ended, as MCP Gateway does. Default: true.
   */
  closeWhenDone: flag({ default: true }),
  /**
   * Also starts a stream for a JSON-RPC request on a WebSocket, as MCP Gateway does. The method of the request is the
   * name of the tool, or `tools/call`. Default: false.
   */
  startByRequest: flag({ default: false }),
}

export interface StreamsOptions extends OptionsOf<typeof streamsOptions> {}

export type ReadStreamsOptions = ReadOptions<typeof streamsOptions>

export function readStreamsOptions(options: StreamsOptions): ReadStreamsOptions {
  const diagnostics = new Diagnostics()
  const read = readNamedOptions(streamsOptions, options, { prefix: 'streams: ' }, diagnostics)
  diagnostics.throwIfAny()
  return read
}
