import type { ServerOptions } from '@toolwright/core'
import { createServerIn } from '@toolwright/core/internal'
import { type MountOptions, mcp, mountHost, pickMountOptions } from '@toolwright/fastify'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'

export interface HostOptions extends Omit<ServerOptions, 'logger'>, MountOptions {
  /** Options of the Fastify instance. `logger` is on by default; time limits and `bodyLimit` have safe defaults. */
  readonly fastify?: FastifyServerOptions
}

/** Milliseconds to send a request's headers, and the whole request. Fastify's own default is for ever. */
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000

/**
 * Creates a Fastify application that serves MCP; `await host.listen({ port: 3000 })` starts it. More routes, hooks and
 * plugins can be added as to any Fastify application; `host.mcp` is the MCP server.
 *
 * @throws BootError that lists every mistake found.
 */
export async function createHost(options: HostOptions): Promise<FastifyInstance> {
  const { fastify = {}, ...mounted } = options
  const app = Fastify({
    logger: true,
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: headersTimeoutMs },
    ...fastify,
  } as FastifyServerOptions)
  // Made here and not by the plugin, which runs later: the scan looks at the call stack for modules that wait for it.
  const server = await createServerIn({ logger: app.log as never, ...mounted }, mountHost(mounted))
  app.addHook('onClose', () => server.close())
  await app.register(mcp, { ...pickMountOptions(mounted), server })
  return app
}
