import { BootError } from '@toolwright/core'
import { Diagnostics } from '@toolwright/core/options'
import { MetricsHook, toolListFormats } from '@toolwright/server'
import type { FastifyPluginAsync } from 'fastify'
import type { HostOptions } from 'toolwright'
import { type Identity, readIdentity } from './identity/read-identity.js'
import { gatewayFormats } from './list-formats.js'
import { createMessages } from './messages/receive.js'
import { type GatewayOptions, readGatewayOptions } from './options.js'
import { createHealth } from './routes/health.js'
import { createMetrics } from './routes/metrics.js'
import { createSse } from './sse.js'

/** Options of a host. `name` and `version` are optional, because a file can contain both. */
export type GatewayHostOptions = Omit<HostOptions, 'name' | 'version'> & Partial<Pick<HostOptions, 'name' | 'version'>>

/**
 * Returns options of a host that serves the clients of an MCP Gateway application: `await serve(await gateway({ … }))`.
 *
 * Adds the paths `/rpc`, `/ws` and `/sse`, which accept batches, and the tool list formats `microsoft-ai` and `mcp`.
 * Also accepts a tool's name as a JSON-RPC method, adds details to errors, and adds the parameter `pageSize` to lists.
 * Reads the identity of the server from a file. The environment variable `MCP_PROTOCOL_VERSION` sets the revision that
 * `initialize` returns. Options in `host` override `/rpc` and `/ws`, and extend the lists of extensions, formats, hooks,
 * plugins and endpoints.
 *
 * @throws BootError that lists mistakes in `options`, or describes a mistake in the file.
 */
export async function gateway(host: GatewayHostOptions, options: GatewayOptions = {}): Promise<HostOptions> {
  const diagnostics = new Diagnostics()
  const { config, section, health, metrics } = readGatewayOptions(options, diagnostics)
  diagnostics.throwIfAny()
  const { extensions = [], listFormats = toolListFormats, hooks = [], plugins = [], rpcEndpoints = [] } = host
  const counts = metrics ? new MetricsHook() : null
  const routes: FastifyPluginAsync[] = []
  if (health !== false) routes.push(createHealth(health === true ? {} : health))
  if (counts !== null) routes.push(createMetrics(counts, host.authentication))
  return {
    ...(await findIdentity(host, config, section)),
    rpc: true,
    webSocket: true,
    ...host,
    extensions: [createMessages(extensions, process.env['MCP_PROTOCOL_VERSION'] || undefined), ...extensions],
    listFormats: { ...gatewayFormats, ...listFormats },
    hooks: counts === null ? hooks : [...hooks, counts],
    plugins: [...routes, ...plugins],
    rpcEndpoints: [createSse(), ...rpcEndpoints],
  }
}

/** Reads no file if `name` and `version` are given, and `config` is not. */
async function findIdentity(
  { name, version }: GatewayHostOptions,
  config: string | undefined,
  section: string,
): Promise<Identity> {
  if (name !== undefined && version !== undefined && config === undefined) return { name, version }
  try {
    return await readIdentity(config, section)
  } catch (error) {
    throw new BootError([{ code: 'bad-option', message: `gateway: ${(error as Error).message}` }])
  }
}
