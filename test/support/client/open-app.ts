import type { AddedTool, McpContext } from '@toolwright/core'
import { type MountOptions, mcp } from '@toolwright/fastify'
import type { ServerOptions } from '@toolwright/server'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { metaKeys } from './messages.js'

/** A tool with untyped arguments, because the tests send values that no type allows. */
export interface TestTool extends Omit<AddedTool, 'handler'> {
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly handler: (args: any, context: McpContext) => unknown
}

export interface AppOptions extends Partial<ServerOptions>, MountOptions {
  readonly tools?: readonly TestTool[]
  readonly fastify?: FastifyServerOptions
}

const apps: FastifyInstance[] = []

/** An application that serves these tools at `/mcp`. `afterEach(closeApps)` closes it. */
export async function openApp({ tools = [], fastify = {}, ...options }: AppOptions = {}): Promise<FastifyInstance> {
  const app = Fastify({ logger: false, ...fastify })
  apps.push(app)
  await app.register(mcp, { name: 'wire', version: '1.0.0', controllers: [], ...options })
  for (const tool of tools) app.mcp.catalog.addTool(tool)
  return app
}

/** Closes all applications of {@link openApp}. */
export async function closeApps(): Promise<void> {
  await Promise.all(apps.splice(0).map((app) => app.close()))
}

/** Members of every modern result of {@link openApp} with the server information. */
export const serverMeta = { [metaKeys.server]: { name: 'wire', version: '1.0.0' } }

const starting = new WeakMap<FastifyInstance, Promise<string>>()

/** Listens on 127.0.0.1, unless the application does so already, and returns the port. */
export async function listen(app: FastifyInstance): Promise<number> {
  if (!app.server.listening) {
    const start = starting.get(app) ?? app.listen({ host: '127.0.0.1', port: 0 })
    starting.set(app, start)
    await start
  }
  return (app.server.address() as { port: number }).port
}
