import type { Duplex } from 'node:stream'
import { type ClientStream, type ConnectOptions, connect, type McpClient, type StreamOptions } from '@toolwright/client'
import { type MountOptions, mcp } from '@toolwright/fastify'
import type { ServerOptions } from '@toolwright/server'
import { type StreamsOptions, streams } from '@toolwright/streams'
import Fastify, { type FastifyInstance } from 'fastify'
import { gaugesOf } from '../../../../test/support/gauges.js'
import { resetShared, StreamTools, shared } from './stream-tools.js'

interface AppOptions extends Partial<ServerOptions>, MountOptions {
  readonly streams?: StreamsOptions
}

export interface StreamApp {
  readonly app: FastifyInstance
  readonly url: string
}

const apps: FastifyInstance[] = []
const clients: McpClient[] = []

/** An application with stream tools. `closeApps` ends it. */
export async function openApp({ streams: options, ...served }: AppOptions = {}): Promise<StreamApp> {
  const app = Fastify({ logger: false })
  apps.push(app)
  await app.register(mcp, {
    name: 'streaming',
    version: '1.0.0',
    controllers: [StreamTools],
    webSocket: true,
    extensions: [streams(options)],
    drainTimeoutMs: 0,
    ...served,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, url: `ws://127.0.0.1:${(app.server.address() as { port: number }).port}/ws` }
}

/** Opens a stream with a new client. `closeApps` closes the client. */
export async function openStream<In = Uint8Array, Out = In>(
  url: string,
  tool: string,
  args: object = {},
  options: StreamOptions & ConnectOptions = {},
): Promise<ClientStream<In, Out>> {
  const client = await connect(url, options)
  clients.push(client)
  const { credentials: _credentials, ...own } = options
  return client.stream<In, Out>(tool, args, own)
}

/** The WebSockets of an application that are open, from now on. */
export function watchWebSockets({ app }: StreamApp): ReadonlySet<Duplex> {
  const open = new Set<Duplex>()
  app.server.on('upgrade', (_request, socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return open
}

export async function closeApps(): Promise<void> {
  shared.gate.open()
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await Promise.all(apps.splice(0).map((app) => app.close()))
  resetShared()
}

/** Number of open streams. */
export function openStreams({ app }: StreamApp): number {
  return gaugesOf(app.mcp, 'streams_open')['streams_open'] as number
}
