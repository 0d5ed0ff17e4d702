import type { Host } from '@toolwright/core/host'
import { isPromiseLike } from '@toolwright/core/host'
import { checkNames, type Diagnostics } from '@toolwright/core/options'
import { type RunningServer } from '@toolwright/core/transport'
import type { ServerOptions } from '@toolwright/server'
import { serverOptions } from '@toolwright/server/host'
import type { MountOptions } from '../options.js'
import { readMountOptions } from './check-mount.js'
import { checkPaths, type MountPaths, type Paths } from './check-paths.js'
import { mountOptions } from './mount-options.js'

const mountOptionNames = Object.keys(mountOptions)

/** Plugin options that Fastify reads, and `server` for a server that already exists. */
const pluginOptionNames = ['prefix', 'logLevel', 'logSerializers', 'server']

const authenticator = 'Give `authentication: jwtBearer({ … })`, or another authenticator.'

/** Advice on option names that belong to Fastify or to other frameworks. */
const elsewhere: Readonly<Record<string, string>> = {
  port: 'Set the environment variable PORT for `serve`, or pass the port to `listen`.',
  host: 'Set the environment variable HOST for `serve`, or pass the host to `listen`.',
  trustProxy:
    "It is an option of Fastify: give `fastify: { trustProxy: ['loopback'] }`, or `Fastify({ trustProxy: ['loopback'] })`.",
  https: 'It is an option of Fastify: give `fastify: { https: … }`, or `Fastify({ https: … })`.',
  bodyLimit: 'Give limits.maxMessageBytes.',
  auth: authenticator,
  jwt: authenticator,
  bearer: authenticator,
  hosts: "Give `allowedHosts: ['mcp.example.com']`.",
  origins: "Give `allowedOrigins: ['https://app.example.com']`.",
}

const elsewhereOfPlugin: Readonly<Record<string, string>> = {
  ...elsewhere,
  health: 'Register the plugin `health` as well.',
  healthChecks: 'Register the plugin `health` as well, with `checks`.',
}

/** Advice on option names that only `createServer` accepts. */
const elsewhereOfServer: Readonly<Record<string, string>> = {
  ...elsewhereOfPlugin,
  ...Object.fromEntries(
    Object.keys(serverOptions).map((name) => [name, 'Pass it to createServer, which created the server.']),
  ),
}

/**
 * Returns the names and checks of mount options, for a host that also accepts the options of a server.
 *
 * @param others Paths of other routes of the application.
 */
export function mountHost(options: MountPaths, others: Paths = []): Host & { readonly elsewhere: typeof elsewhere } {
  const check = (diagnostics: Diagnostics): void => {
    checkPaths({ ...options, ...readMountOptions(options, diagnostics) }, others, diagnostics)
  }
  return { optionNames: mountOptionNames, elsewhere, check }
}

export function mountPlugin(options: MountOptions): Host {
  const host = mountHost(options)
  return { ...host, optionNames: [...host.optionNames, ...pluginOptionNames], elsewhere: elsewhereOfPlugin }
}

/** If `authentication` is given, requires authenticated callers for features without an access rule. */
export function closeWhereAuthenticated<Options extends MountOptions & Pick<ServerOptions, 'authorization'>>(
  options: Options,
): Options {
  const { authentication, authorization } = options
  return authentication === undefined || authorization !== undefined ? options : { ...options, authorization: {} }
}

export function checkMount(options: MountOptions & { readonly server: unknown }, diagnostics: Diagnostics): void {
  const host = mountPlugin(options)
  checkNames(options, host.optionNames, diagnostics, { elsewhere: elsewhereOfServer })
  checkServer(options.server, diagnostics)
  host.check(diagnostics)
}

function checkServer(server: unknown, diagnostics: Diagnostics): void {
  if (isPromiseLike(server)) {
    diagnostics.add('bad-option', 'server is a promise. Await it: `server: await createServer({ … })`.')
  } else if (typeof (server as { readonly running?: Partial<RunningServer> } | null)?.running?.receive !== 'function') {
    diagnostics.addBadOption('server', server, 'Give the server that createServer({ … }) resolves to.')
  }
}

export function pickMountOptions(options: MountOptions): MountOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => mountOptionNames.includes(name)))
}

export function omitMountOptions<Options extends MountOptions>(options: Options): Omit<Options, keyof MountOptions> {
  const others = Object.entries(options).filter(([name]) => !mountOptionNames.includes(name))
  return Object.fromEntries(others) as Omit<Options, keyof MountOptions>
}
