import type { ServerOptions as HttpOptions } from 'node:http'
import type { ServerOptions as Http2Options, SecureServerOptions } from 'node:http2'
import type { ServerOptions as HttpsOptions } from 'node:https'
import { BootError } from '@toolwright/core'
import type { Host } from '@toolwright/core/host'
import { modulesBeingEvaluated, requireOptionsObject } from '@toolwright/core/host'
import {
  custom,
  Diagnostics,
  longestTimer,
  type OptionsOf,
  object,
  readOptions,
  unchecked,
} from '@toolwright/core/options'
import { type HealthOptions, health, type MountOptions } from '@toolwright/fastify'
import {
  closeWhereAuthenticated,
  findBindDiagnostic,
  healthPaths,
  mcpOfHost,
  mountHost,
  pickMountOptions,
  readHealthOptions,
} from '@toolwright/fastify/internal'
import type { ServerOptions } from '@toolwright/server'
import { createServerIn } from '@toolwright/server/host'
import type { FastifyInstance, FastifyListenOptions, FastifyPluginAsync, FastifyServerOptions } from 'fastify'
import { type DevHost, devParts, findDevHost } from './dev-host.js'
import { makeLoggerSafe } from './safe-logger.js'
import { stdioOption } from './stdio-caller.js'
import { answerBadUrl, answerUnknownPaths } from './unknown-paths.js'

type Scanner = Pick<Host, 'beingEvaluated' | 'importModule'>

export const hostOptions = {
  /**
   * Fastify's `FastifyServerOptions`, and the options `http`, `https`, `http2` and `http2SessionTimeout` of Node's server.
   * Default: `logger: true`; timeouts of 30 s for a request and 10 s for its headers; 100 concurrent requests on an HTTP/2
   * connection.
   */
  fastify: object<HostFastifyOptions>('`HostFastifyOptions`'),
  /** Serves `GET /health/live` and `/health/ready`. Default: both, without checks. */
  health: unchecked<boolean | HealthOptions>('[`HealthOptions`](#health) or `false`'),
  /** Fastify plugins to register after MCP is mounted, such as other routes of the application. Default: none. */
  plugins: custom<readonly FastifyPluginAsync[], readonly FastifyPluginAsync[]>('Fastify plugins', checkPlugins, {
    default: [],
  }),
  /**
   * The caller of [`serve`](#serve) over stdio: `{ principal: { subject, roles, scopes } }`. Default: the caller is anonymous.
   */
  stdio: stdioOption,
}

function checkPlugins(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (Array.isArray(given) && given.every((plugin) => typeof plugin === 'function')) return true
  diagnostics.addBadOption(option, given, 'Give an array of plugins, such as [async (app) => { app.get(…) }].')
  return false
}

/** Options of `createHost`: of the server, of its mount and of the Fastify application. */
export interface HostOptions extends Omit<ServerOptions, 'logger'>, MountOptions, OptionsOf<typeof hostOptions> {}

/**
 * All options of `Fastify()`. The type `FastifyServerOptions` lacks the options of TLS and HTTP/2: Fastify has a
 * separate type for each kind of server.
 */
export interface HostFastifyOptions extends FastifyServerOptions {
  /** Options of a server without TLS. */
  readonly http?: HttpOptions | Http2Options
  /** Options of a server with TLS, such as `key` and `cert`. */
  readonly https?: HttpsOptions | SecureServerOptions | null
  /** Serves HTTP/2; with `https: { allowHTTP1: true }`, HTTP/1 as well. Default: false. */
  readonly http2?: boolean
  /** Milliseconds after which an idle HTTP/2 connection is closed. Default: 72,000. */
  readonly http2SessionTimeout?: number
}

/**
 * Timeouts in milliseconds, for the headers of a request and for the whole request. Fastify sets no timeouts by
 * default.
 */
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000

/**
 * Maximum number of concurrent requests on one HTTP/2 connection. Node's default of four billion would not limit the
 * memory of request bodies.
 */
const maxConcurrentStreams = 100

/** Timeout in milliseconds for a plugin to load: Fastify's default. */
const pluginTimeoutMs = 10_000

/**
 * Interval in milliseconds at which Node checks the timeouts. With Node's default, a socket could stay open for 30 s after
 * its timeout.
 */
const timeoutCheckMs = 2000

/**
 * Creates a Fastify application that serves MCP. `await host.listen({ port: 3000 })` starts the application. Add
 * routes, hooks and plugins as to any Fastify application. `host.mcp` is the MCP server.
 *
 * The option `allowedHosts` or `authentication` is required to listen on an address that other machines can reach. If
 * unguarded tools are destructive, `allowedHosts` is not sufficient.
 *
 * @throws BootError that lists every mistake.
 */
export function createHost(options: HostOptions): Promise<FastifyInstance> {
  // The modules are found before the first `await`: afterwards, the call stack does not contain the caller.
  return create(options, modulesBeingEvaluated())
}

async function create(given: HostOptions, beingEvaluated: ReadonlySet<string>): Promise<FastifyInstance> {
  requireOptionsObject(given, new Diagnostics())
  const devHost = findDevHost()
  const options = devHost?.extend(given, devParts) ?? given
  const app = await createApp(options)
  answerUnknownPaths(app)
  try {
    await mount(app, options, scannerFor(devHost, beingEvaluated))
    return app
  } catch (error) {
    await app.close()
    devHost?.failed(error)
    throw error
  }
}

/**
 * Selects the function that imports scanned modules. The scan must not await `beingEvaluated`: these modules could be waiting
 * for the server.
 */
export function scannerFor(devHost: DevHost | undefined, beingEvaluated: ReadonlySet<string>): Scanner {
  if (devHost === undefined) return { beingEvaluated }
  return {
    beingEvaluated: new Set([...beingEvaluated, ...devHost.beingEvaluated]),
    importModule: (file) => devHost.importModule(file),
  }
}

async function createApp({ fastify: given, drainTimeoutMs }: HostOptions): Promise<FastifyInstance> {
  // Fastify is loaded on demand: a server over stdio starts in two thirds of the time without it.
  const { default: createFastify } = await import('fastify')
  // If the option is `null`, the mistake is reported with all others, and this application is closed.
  const fastify = given ?? {}
  return createFastify({
    requestTimeout: requestTimeoutMs,
    pluginTimeout: pluginTimeoutFor(drainTimeoutMs),
    frameworkErrors: answerBadUrl,
    ...fastify,
    ...boundConnections(fastify),
    ...(fastify.loggerInstance === undefined ? { logger: makeLoggerSafe(fastify.logger ?? true) } : {}),
  } as FastifyServerOptions)
}

/** Limits plain and TLS connections. Fastify has separate options for connections with TLS. */
function boundConnections({ http, https }: HostFastifyOptions): object {
  const isSecure = typeof https === 'object' && https !== null
  return { http: withBounds(http), ...(isSecure ? { https: withBounds(https) } : {}) }
}

/** Sets the limits. Only HTTP/2 uses `settings`. */
function withBounds(given: (Pick<Http2Options, 'settings'> & object) | null | undefined): object {
  return {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    ...given,
    settings: { maxConcurrentStreams, ...given?.settings },
  }
}

async function mount(app: FastifyInstance, options: HostOptions, scanner: Scanner): Promise<void> {
  const { fastify = {}, health: healthOptions, plugins = [], stdio: _ofStdio, ...mounted } = options
  // The host creates the server, not the plugin, so that all mistakes in the options are reported together.
  const host = { ...hostOf(options), log: app.log as never, ...scanner }
  const server = await createServerIn(closeWhereAuthenticated(mounted), host)
  app.addHook('onClose', () => server.close())
  await app.register(mcpOfHost, { ...pickMountOptions(mounted), server, answersSlash: !decidesOnSlashes(fastify) })
  if (healthOptions !== false) await app.register(health, optionsOf(healthOptions))
  // Registers plugins one after the other, as a program does.
  // oxlint-disable-next-line no-await-in-loop
  for (const plugin of plugins) await app.register(plugin)
  guardListening(app, mounted)
}

/** Advice for options that `createHost` does not have, but Fastify or the plugin `mcp` has. */
const elsewhere = {
  logger: 'Give `fastify: { logger }`.',
  loggerInstance: 'Give `fastify: { loggerInstance }`.',
  prefix: "Put the prefix into the path: `path: '/api/mcp'`.",
  server: 'createHost creates it from the other options. For an existing server, use `app.register(mcp, { server })`.',
  healthChecks: 'Give `health: { checks }`.',
}

/** Returns the option names and the check of the host. Boot checks the options of host and server together. */
function hostOf({ fastify, health: given, plugins, stdio, ...mounted }: HostOptions): Host {
  const options = optionsOf(given)
  const answersSlash = !decidesOnSlashes(fastify ?? {})
  const host = mountHost({ ...mounted, answersSlash }, given === false ? [] : healthPaths(options))
  return {
    optionNames: [...host.optionNames, ...Object.keys(hostOptions)],
    elsewhere: { ...host.elsewhere, ...elsewhere },
    check: (diagnostics) => {
      host.check(diagnostics)
      checkFastify(fastify, diagnostics)
      readOptions(hostOptions, { plugins, stdio }, '', diagnostics)
      if (given !== false) readHealthOptions(options, diagnostics)
    },
  }
}

const nodeOptions = { http: object<HttpOptions | Http2Options>('Node options') }

/** Checks that `fastify` and `fastify.http` are objects. Fastify itself checks all other options. */
function checkFastify(given: HostOptions['fastify'], diagnostics: Diagnostics): void {
  readOptions(hostOptions, { fastify: given }, '', diagnostics)
  readOptions(nodeOptions, given ?? {}, 'fastify.', diagnostics)
}

function optionsOf(given: HostOptions['health']): HealthOptions {
  return given === undefined || typeof given === 'boolean' ? {} : given
}

/**
 * Returns the `pluginTimeout` of Fastify: the time to load a plugin plus the drain timeout, because Fastify also
 * applies this timeout to the hook that drains. 0 means no timeout.
 */
function pluginTimeoutFor(drainTimeoutMs = 10_000): number {
  const both = pluginTimeoutMs + drainTimeoutMs
  return Number.isInteger(both) && both <= longestTimer ? both : 0
}

/** Whether the router's options define how trailing slashes are handled. If so, the endpoint has only one path. */
function decidesOnSlashes({ routerOptions, ignoreTrailingSlash }: FastifyServerOptions): boolean {
  return (routerOptions?.ignoreTrailingSlash ?? ignoreTrailingSlash) !== undefined
}

/**
 * Checks the address before the application listens. With a hook of Fastify, the first requests could arrive before the
 * check.
 */
function guardListening(app: FastifyInstance, options: MountOptions): void {
  const listen = app.listen.bind(app) as (...args: unknown[]) => Promise<string>
  const devHost = findDevHost()
  const guarded = (wanted?: FastifyListenOptions, callback?: (error: Error | null, address: string) => void) => {
    const given = devHost?.addressOf(wanted) ?? wanted
    // Fastify's default host is localhost.
    const { host = 'localhost', path } = given ?? {}
    const diagnostic = path === undefined ? findBindDiagnostic(host, options, app.mcp) : null
    if (diagnostic === null) return devHost?.listen(app) ?? listen(given, callback)
    const error = new BootError([diagnostic])
    if (callback === undefined) return Promise.reject(error)
    callback(error, '')
    return undefined
  }
  app.listen = guarded as typeof app.listen
}
