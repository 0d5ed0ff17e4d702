import type { Extension } from '@toolwright/core'
import { streamsExtension } from '../wire/messages.js'
import { readStreamsOptions, type StreamsOptions } from './options.js'
import { StreamConnection, type StreamCounters } from './stream-connection.js'

/**
 * Serves tools with `@StreamTool` on the WebSockets of a server: `extensions: [streams()]`, with `webSocket: true`.
 *
 * The wire format is the stream protocol 1.0 of MCP Gateway, with flow control for clients that announce a window.
 *
 * @throws BootError that lists every mistake found.
 */
export function streams(options: StreamsOptions = {}): Extension {
  const read = readStreamsOptions(options)
  return {
    id: streamsExtension,
    settings: () => ({
      version: '1.0',
      window: read.windowBytes,
      ...(Number.isFinite(read.maxStreams) ? { maxStreams: read.maxStreams } : {}),
    }),
    webSocket: (server) => {
      const counters: StreamCounters = { open: 0, received: 0, sent: 0 }
      const { gauges } = server
      gauges.share({ name: 'streams_open', help: 'Open streams', read: () => counters.open })
      gauges.share({
        name: 'stream_received_bytes_total',
        help: 'Bytes that clients have sent on streams',
        kind: 'counter',
        read: () => counters.received,
      })
      gauges.share({
        name: 'stream_sent_bytes_total',
        help: 'Bytes that tools have sent on streams',
        kind: 'counter',
        read: () => counters.sent,
      })
      return (socket) => new StreamConnection(server, socket, read, counters)
    },
  }
}
