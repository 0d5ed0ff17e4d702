import type { McpServer, ServerOptions } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { type ProxySource, proxy, type UpstreamOptions, type Upstreams } from '@toolwright/proxy'
import { createServer } from '@toolwright/server'
import { type TestConnection as Connection, connect } from '@toolwright/testing'
import Fastify from 'fastify'
import { pino } from 'pino'

export type Era = 'modern' | 'legacy'

export const eras = ['modern', 'legacy'] as const

/** The four combinations of the eras of a client and of an upstream. */
export const combinations = eras.flatMap((client) => eras.map((upstream) => ({ client, upstream })))

const revisions = { modern: ['2026-07-28'], legacy: ['2025-11-25'] } as const

export const quiet = { version: '1.0.0', logger: pino({ level: 'silent' }) }

/** A server that the proxy connects to over HTTP. */
export interface ServedUpstream extends AsyncDisposable {
  readonly server: McpServer
  readonly url: string
}

export async function serveUpstream(
  options: Partial<ServerOptions>,
  { era, port = 0 }: { readonly era?: Era; readonly port?: number } = {},
): Promise<ServedUpstream> {
  const offered = era === undefined ? {} : { revisions: revisions[era] }
  const server = await createServer({ name: 'upstream', controllers: [], ...quiet, ...offered, ...options })
  const app = Fastify({ forceCloseConnections: true })
  await app.register(mcp, { server, allowAnonymous: true, drainTimeoutMs: 0 })
  const address = await app.listen({ host: '127.0.0.1', port })
  return {
    server,
    url: `${address}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await app.close()
      await server.close()
    },
  }
}

/** A server with a proxy. */
export interface Front extends AsyncDisposable {
  readonly server: McpServer
  readonly source: ProxySource
}

export async function serveFront(upstreams: Upstreams, options: Partial<ServerOptions> = {}): Promise<Front> {
  const source = proxy(upstreams)
  const server = await createServer({ name: 'front', ...quiet, sources: [source], ...options })
  return { server, source, [Symbol.asyncDispose]: () => server.close() }
}

/** A client of a front with one upstream, whose name is `up`. */
export interface Chain extends AsyncDisposable {
  readonly upstream: ServedUpstream
  readonly front: Front
  readonly connection: Connection
  readonly client: Connection['client']
}

export async function connectThrough(
  options: Partial<ServerOptions>,
  {
    era = { client: 'modern', upstream: 'modern' },
    connectOptions = {},
    ...own
  }: UpstreamOptions & {
    readonly era?: { readonly client: Era; readonly upstream: Era }
    readonly connectOptions?: Parameters<typeof connect>[1]
  } = {},
): Promise<Chain> {
  const upstream = await serveUpstream(options, { era: era.upstream })
  const front = await serveFront({ up: { url: upstream.url, ...own } })
  const connection = await connect(front.server, { era: era.client, ...connectOptions })
  return {
    upstream,
    front,
    connection,
    client: connection.client,
    [Symbol.asyncDispose]: async () => {
      await connection[Symbol.asyncDispose]()
      await front[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}
