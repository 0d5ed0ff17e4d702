import type { ServerOptions } from '@toolwright/core'
import { type MountOptions, mcp } from '@toolwright/fastify'
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

export async function closeApps(): Promise<void> {
  shared.gate.open()
  await Promise.all(apps.splice(0).map((app) => app.close()))
  resetShared()
}

/** Number of open streams. */
export function openStreams({ app }: StreamApp): number {
  return gaugesOf(app.mcp, 'streams_open')['streams_open'] as number
}
