import { type Authenticator, BootError, type McpServer, type Principal } from '@toolwright/core'
import { networkTransports, tryLog } from '@toolwright/core/host'
import { Diagnostics } from '@toolwright/core/options'
import type { ServerOptions } from '@toolwright/server'
import { createServerIn, describeUnreachable } from '@toolwright/server/host'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { devParts, findDevMounts } from './dev-host.js'
import { mountEndpoint } from './endpoint/mount-endpoint.js'
import { readMountOptions } from './mount/check-mount.js'
import { checkMount, closeWhereAuthenticated, mountPlugin } from './mount/mount-host.js'
import {
  type McpPluginOptions,
  type MountedOptions,
  type MountOptions,
  otherPaths,
  type ReadMountedOptions,
} from './options.js'
import { findBindDiagnostic } from './security/open-bind.js'
import { checkResources, metadataAt, rootOf, serveResourceMetadata } from './security/resource-metadata.js'

declare module 'fastify' {
  interface FastifyInstance {
    mcp: McpServer
  }
  interface FastifyRequest {
    /**
     * The authenticated caller of an MCP endpoint. A hook of the application that authenticates callers must set this
     * property.
     */
    mcpPrincipal: Principal | null
  }
}

const plugin: FastifyPluginAsync<McpPluginOptions & { prefix?: string }> = async (app, options) => {
  requireOwnScope(app)
  try {
    await mountPluginServer(app, options)
  } catch (error) {
    findDevMounts()?.failed(error)
    throw error
  }
  announce(app, options)
}

async function mountPluginServer(app: FastifyInstance, options: McpPluginOptions): Promise<void> {
  if (options.server !== undefined) {
    const diagnostics = new Diagnostics()
    checkMount(options, diagnostics)
    diagnostics.throwIfAny()
    return mountServer(app, options)
  }
  const server = await createOwnServer(app, options)
  // The hook is added before the server is mounted, so that the server also closes if the application fails to start.
  app.addHook('onClose', () => server.close())
  return mountServer(app, { ...options, server })
}

function announce(app: FastifyInstance, options: McpPluginOptions & { prefix?: string }): void {
  const server = app.mcp
  const { path } = readMountOptions(options, new Diagnostics())
  const checkHost = (host: string): BootError | null => {
    const diagnostic = findBindDiagnostic(host, options, server)
    return diagnostic === null ? null : new BootError([diagnostic])
  }
  findDevMounts()?.mount({ app, server, endpoint: `${app.prefix}${options.prefix ?? ''}${path}`, checkHost }, devParts)
}

/** @throws BootError if the scope already has a server, because Fastify's own error would not name the fix. */
function requireOwnScope(app: FastifyInstance): void {
  if (!Object.hasOwn(app, 'mcp')) return
  const diagnostics = new Diagnostics()
  const fix = 'Register each server in a separate scope: app.register((scope) => scope.register(mcp, { … })).'
  diagnostics.add(
    'bad-option',
    `The plugin mcp is registered twice in one scope, but a scope can have only one \`app.mcp\`. ${fix}`,
  )
  diagnostics.throwIfAny()
}

/** Shares `app.mcp` with the application. Parsers, hooks and error handlers apply only inside the plugin. */
async function mountServer(app: FastifyInstance, options: MountedOptions): Promise<void> {
  const mounted = { ...options, ...readMountOptions(options, new Diagnostics()) }
  const { server, authentication, path, prefix = '' } = mounted
  app.decorate('mcp', server)
  if (authentication !== undefined) {
    serveMetadata(app, authentication, mounted)
    authentication.mountRoutes?.(rootOf(app))
  } else checkResources(app, { endpoint: `${app.prefix}${prefix}${path}`, metadata: undefined })
  for (const gauge of authentication?.gauges ?? []) server.gauges.share(gauge)
  await app.register(mountEndpoint, { ...mounted, prefix })
  app.addHook('onListen', () => closeIfExposed(app, options))
  if (authentication === undefined) warnOfClosed(app, server)
}

function serveMetadata(
  app: FastifyInstance,
  { metadata, addResource }: Authenticator,
  options: ReadMountedOptions,
): void {
  const { path, prefix = '' } = options
  const base = `${app.prefix}${prefix}`
  checkResources(app, { endpoint: `${base}${path}`, metadata })
  if (metadata === undefined) return
  serveResourceMetadata(app, metadata, `${base}${path}`)
  for (const other of otherPaths(options)) {
    const found = metadataAt(metadata, path, other)
    serveResourceMetadata(app, found, `${base}${other}`)
    if (found !== metadata) addResource?.(found.resource)
  }
}

const pluginMetadata = { name: '@toolwright/fastify', fastify: '5.x' }

export const mcpOfHost: FastifyPluginAsync<MountedOptions> = fastifyPlugin(mountServer, pluginMetadata)

/**
 * MCP over Streamable HTTP as a Fastify plugin: `await app.register(mcp, { name, version, scan })`.
 *
 * Registering the plugin twice in one scope fails. Register each server in a separate scope with `app.register`.
 *
 * @throws BootError that lists every mistake found.
 */
export const mcp: FastifyPluginAsync<McpPluginOptions & { prefix?: string }> = fastifyPlugin(plugin, pluginMetadata)

function createOwnServer(app: FastifyInstance, given: MountOptions & ServerOptions): Promise<McpServer> {
  const dev = findDevMounts()
  const options = dev?.extendPlugin(given, devParts) ?? given
  const scanner =
    dev === undefined
      ? {}
      : { beingEvaluated: dev.beingEvaluated, importModule: (file: string) => dev.importModule(file) }
  const host = { ...mountPlugin(options), log: app.log as never, ...scanner }
  return createServerIn(closeWhereAuthenticated(options), host)
}

function warnOfClosed(app: FastifyInstance, server: McpServer): void {
  const closed = describeUnreachable(server, networkTransports, 'there is no authentication')
  if (closed !== null)
    tryLog(() => app.log.warn(`${closed}. Unless a hook sets request.mcpPrincipal, no caller can use them`))
}

/**
 * Closes an application that has begun to listen at an unsafe address. Only `createHost` can check the address earlier.
 */
async function closeIfExposed(app: FastifyInstance, options: MountedOptions): Promise<void> {
  // A string is the path of a Unix socket, which only this machine can reach.
  const hosts = app.addresses().flatMap((address) => (typeof address === 'string' ? [] : [address.address]))
  const diagnostic = hosts
    .map((host) => findBindDiagnostic(host, options, options.server))
    .find((found) => found !== null)
  if (diagnostic === undefined) return
  tryLog(() => app.log.fatal({ code: diagnostic.code }, diagnostic.message))
  // The result is not awaited: the application closes only after this hook has ended.
  void app.close()
}
