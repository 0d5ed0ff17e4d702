import { join } from 'node:path'
import { type ConnectOptions, connect, type McpClient } from '@toolwright/client'
import type { McpServer } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import type { ServerOptions } from '@toolwright/server'
import Fastify from 'fastify'
import { createShop } from './shop-tools.js'

export type Era = 'modern' | 'legacy'
export type LaneName = 'http' | 'web-socket' | 'stdio' | 'in-process'

/** Each transport in both eras. */
export const lanes = (['http', 'web-socket', 'stdio', 'in-process'] as const).flatMap((lane) =>
  (['modern', 'legacy'] as const).map((era) => ({ lane, era })),
)

/** The shop, served over HTTP and WebSocket. */
export interface ServedShop extends AsyncDisposable {
  readonly server: McpServer
  readonly http: string
  readonly webSocket: string
}

export async function serveShop(
  port = 0,
  options: object = {},
  serverOptions: Partial<ServerOptions> = {},
): Promise<ServedShop> {
  const server = await createShop(serverOptions)
  const app = Fastify({ forceCloseConnections: true })
  await app.register(mcp, { server, allowAnonymous: true, webSocket: true, drainTimeoutMs: 0, ...options })
  const address = await app.listen({ host: '127.0.0.1', port })
  const close = async (): Promise<void> => {
    await app.close()
    await server.close()
  }
  return {
    server,
    http: `${address}/mcp`,
    webSocket: `${address.replace('http', 'ws')}/ws`,
    [Symbol.asyncDispose]: close,
  }
}

/** The shop as a program. */
export const shopCommand = {
  command: process.execPath,
  args: ['--import', '@oxc-node/core/register', join(__dirname, 'stdio-shop.ts')],
  env: { NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '' },
}

export interface ConnectedShop extends AsyncDisposable {
  readonly client: McpClient
  /** `null` over stdio, where it is in another process. */
  readonly server: McpServer | null
}

export async function connectShop(lane: LaneName, options: ConnectOptions): Promise<ConnectedShop> {
  if (lane === 'stdio') {
    const client = await connect(shopCommand, options)
    return { client, server: null, [Symbol.asyncDispose]: () => client.close() }
  }
  if (lane === 'in-process') {
    const server = await createShop()
    const client = await connect(server, options)
    const close = async (): Promise<void> => {
      await client.close()
      await server.close()
    }
    return { client, server, [Symbol.asyncDispose]: close }
  }
  const shop = await serveShop()
  const client = await connect(lane === 'http' ? shop.http : shop.webSocket, options)
  const close = async (): Promise<void> => {
    await client.close()
    await shop[Symbol.asyncDispose]()
  }
  return { client, server: shop.server, [Symbol.asyncDispose]: close }
}
