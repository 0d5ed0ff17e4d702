import type { ServerOptions } from '@toolwright/core'
import { checkNames, type Diagnostics, serverOptions } from '@toolwright/core/options'
import type { Host } from '@toolwright/core/transport'
import { isPromiseLike, type RunningServer } from '@toolwright/core/transport'
import type { MountOptions } from '../options.js'
import { readMountOptions } from './check-mount.js'
import { checkPaths, type MountPaths, type Paths } from './check-paths.js'
import { mountOptions } from './mount-options.js'

const mountOptionNames = Object.keys(mountOptions)

/** What Fastify reads of the options of a plugin, and the server that was made before. */
const pluginOptionNames = ['prefix', 'logLevel', 'logSerializers', 'server']

const authenticator = 'Give `authentication: jwtBearer({ … })`, or another authenticator.'

/** What those who know Fastify, or another framework, look for here. */
const elsewhere: Readonly<Record<string, string>> = {
  port: '`serve` reads the environment variables PORT and HOST; else give it to `listen`.',
  host: '`serve` reads the environment variables PORT and HOST; else give it to `listen`.',
  trustProxy:
    "It is Fastify's: give `fastify: { trustProxy: ['loopback'] }`, or `Fastify({ trustProxy: ['loopback'] })`.",
  https: "It is Fastify's: give `fastify: { https: … }`, or `Fastify({ https: … })`.",
  bodyLimit: 'Give limits.maxMessageBytes.',
  auth: authenticator,
  jwt: authenticator,
  bearer: authenticator,
  hosts: "Give `allowedHosts: ['mcp.example.com']`.",
  origins: "Give `allowedOrigins: ['https://app.example.com']`.",
}

const elsewhereOfPlugin: Readonly<Record<string, string>> = {
  ...elsewhere,
  health: 'Register the plugin `health` besides.',
  healthChecks: 'Register the plugin `health` besides, with `checks`.',
}

/** What only whoever makes the server can give. */
const elsewhereOfServer: Readonly<Record<string, string>> = {
  ...elsewhereOfPlugin,
  ...Object.fromEntries(
    Object.keys(serverOptions).map((name) => [name, 'Give it to createServer, which made the server.']),
  ),
}

/**
 * The mount options among those of a server.
 *
 * @param others What else answers in the same application.
 */
export function mountHost(options: MountPaths, others: Paths = []): Host & { readonly elsewhere: typeof elsewhere } {
  const check = (diagnostics: Diagnostics): void => {
    checkPaths({ ...options, ...readMountOptions(options, diagnostics) }, others, diagnostics)
  }
  return { optionNames: mountOptionNames, elsewhere, check }
}

/** The same for the plugin. */
export function mountPlugin(options: MountOptions): Host {
  const host = mountHost(options)
  return { ...host, optionNames: [...host.optionNames, ...pluginOptionNames], elsewhere: elsewhereOfPlugin }
}

/** Where callers are asked who they are, whatever says nothing is for those who are known. */
export function closeWhereAuthenticated<Options extends MountOptions & Pick<ServerOptions, 'authorization'>>(
  options: Options,
): Options {
  const { authentication, authorization } = options
  return authentication === undefined || authorization !== undefined ? options : { ...options, authorization: {} }
}

/** For a server that exists: nothing besides mount options is read. */
export function checkMount(options: MountOptions & { readonly server: unknown }, diagnostics: Diagnostics): void {
  const host = mountPlugin(options)
  checkNames(options, host.optionNames, diagnostics, { elsewhere: elsewhereOfServer })
  checkServer(options.server, diagnostics)
  host.check(diagnostics)
}

function checkServer(server: unknown, diagnostics: Diagnostics): void {
  if (isPromiseLike(server)) {
    diagnostics.add('bad-option', 'server is a promise. Await it: `server: await createServer({ … })`.')
  } else if (typeof (server as Partial<RunningServer> | null)?.receive !== 'function') {
    diagnostics.addBadOption('server', server, 'Give what createServer({ … }) resolves to.')
  }
}

/** The mount options of a host that takes others as well. */
export function pickMountOptions(options: MountOptions): MountOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => mountOptionNames.includes(name)))
}

/** What a host passes on to a server that is served without HTTP. */
export function omitMountOptions<Options extends MountOptions>(options: Options): Omit<Options, keyof MountOptions> {
  const others = Object.entries(options).filter(([name]) => !mountOptionNames.includes(name))
  return Object.fromEntries(others) as Omit<Options, keyof MountOptions>
}
