import type { ExtendedServer, Extension } from '@toolwright/core'
import { streamsExtension } from '../wire/messages.js'
import { readStreamsOptions, type StreamsOptions } from './options.js'
import { StreamConnection } from './stream-connection.js'
import { StreamTotals } from './stream-totals.js'

/**
 * Serves tools with `@StreamTool` on the WebSockets of a server: `extensions: [streams()]`, with `webSocket: true`.
 *
 * The wire format is the stream protocol 1.0 of MCP Gateway, with flow control for clients that announce a window.
 *
 * @throws BootError that lists every mistake found.
 */
export function streams(options: StreamsOptions = {}): Extension {
  const read = readStreamsOptions(options)
  /** Endpoints of one server share its limits. */
  const totalsOf = new WeakMap<ExtendedServer, StreamTotals>()
  return {
    id: streamsExtension,
    settings: () => ({
      version: '1.0',
      window: read.windowBytes,
      ...(Number.isFinite(read.maxStreams) ? { maxStreams: read.maxStreams } : {}),
    }),
    webSocket: (server) => {
      const totals = totalsOf.get(server) ?? new StreamTotals(server, read)
      totalsOf.set(server, totals)
      return (socket) => new StreamConnection(server, socket, read, totals)
    },
  }
}
