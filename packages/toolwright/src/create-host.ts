import type { ServerOptions as HttpOptions } from 'node:http'
import type { ServerOptions as Http2Options, SecureServerOptions } from 'node:http2'
import type { ServerOptions as HttpsOptions } from 'node:https'
import { BootError, type ServerOptions } from '@toolwright/core'
import { modulesBeingEvaluated, requireOptionsObject } from '@toolwright/core/internal'
import { Diagnostics, longestTimer, type OptionsOf, object, readOptions, unchecked } from '@toolwright/core/options'
import { createServerIn, type Host } from '@toolwright/core/transport'
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
import type { FastifyInstance, FastifyListenOptions, FastifyServerOptions } from 'fastify'
import { makeLoggerSafe } from './safe-logger.js'
import { answerBadUrl, answerUnknownPaths } from './unknown-paths.js'

export const hostOptions = {
  /**
   * Options of the Fastify instance: Fastify's `FastifyServerOptions`, and `http`, `https`, `http2` and
   * `http2SessionTimeout`, which go to Node's server. The logger leaves out credentials and queries. Default: `logger: true`;
   * 30 s for a request to arrive, 10 s for its headers; 100 requests at once on a connection of HTTP/2.
   */
  fastify: object<HostFastifyOptions>('`HostFastifyOptions`'),
  /** `GET /health/live` and `/health/ready`, or neither. Default: both, without checks. */
  health: unchecked<boolean | HealthOptions>('[`HealthOptions`](#health) or `false`'),
}

/** What is served, how it is mounted, and the Fastify application around it. */
export interface HostOptions extends Omit<ServerOptions, 'logger'>, MountOptions, OptionsOf<typeof hostOptions> {}

/** All that `Fastify` takes: its own type leaves TLS and HTTP/2 to one for each kind of server. */
export interface HostFastifyOptions extends FastifyServerOptions {
  /** Options of a server without TLS. */
  readonly http?: HttpOptions | Http2Options
  /** Options of a server with TLS: its `key` and `cert`. */
  readonly https?: HttpsOptions | SecureServerOptions | null
  /** Serves HTTP/2; with `https: { allowHTTP1: true }` both. Default: false. */
  readonly http2?: boolean
  /** Milliseconds after which a silent connection of HTTP/2 is closed. Default: 72,000. */
  readonly http2SessionTimeout?: number
}

/** Milliseconds to send a request's headers, and the whole request. Fastify's own default is for ever. */
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000

/** Requests at once on one connection of HTTP/2: each may hold a body. Node's own default is four billion. */
const maxConcurrentStreams = 100

/** Milliseconds for a plugin to load: Fastify's own default. */
const pluginTimeoutMs = 10_000

/** How often Node looks for requests that take longer. Its own 30 s would hold each socket for that much more. */
const timeoutCheckMs = 2000

/**
 * Creates a Fastify application that serves MCP; `await host.listen({ port: 3000 })` starts it. More routes, hooks and
 * plugins can be added as to any Fastify application; `host.mcp` is the MCP server.
 *
 * It listens where others reach it only when it has `allowedHosts` or authentication; with tools that destroy something,
 * `allowedHosts` alone is not enough.
 *
 * @throws BootError that lists every mistake found.
 */
export function createHost(options: HostOptions): Promise<FastifyInstance> {
  // Before anything is awaited: afterwards the call stack no longer shows who called.
  return create(options, modulesBeingEvaluated())
}

async function create(options: HostOptions, beingEvaluated: ReadonlySet<string>): Promise<FastifyInstance> {
  requireOptionsObject(options, new Diagnostics())
  const app = await createApp(options)
  answerUnknownPaths(app)
  try {
    await mount(app, options, beingEvaluated)
    return app
  } catch (error) {
    await app.close()
    throw error
  }
}

async function createApp({ fastify: given, drainTimeoutMs }: HostOptions): Promise<FastifyInstance> {
  // Loaded where it is needed only: a server over stdio takes a third less time to start without it.
  const { default: createFastify } = await import('fastify')
  // Null is reported with the other mistakes, and this application is closed.
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

/** For connections with TLS and without: they are options of another name. */
function boundConnections({ http, https }: HostFastifyOptions): object {
  const isSecure = typeof https === 'object' && https !== null
  return { http: withBounds(http), ...(isSecure ? { https: withBounds(https) } : {}) }
}

/** Only those of HTTP/2 have `settings`. */
function withBounds(given: (Pick<Http2Options, 'settings'> & object) | null | undefined): object {
  return {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    ...given,
    settings: { maxConcurrentStreams, ...given?.settings },
  }
}

async function mount(app: FastifyInstance, options: HostOptions, beingEvaluated: ReadonlySet<string>): Promise<void> {
  const { fastify = {}, health: healthOptions, ...mounted } = options
  // Made here and not by the plugin: mistakes in the options of a host are reported together with its own.
  const host = { ...hostOf(options), log: app.log as never, beingEvaluated }
  const server = await createServerIn(closeWhereAuthenticated(mounted), host)
  app.addHook('onClose', () => server.close())
  await app.register(mcpOfHost, { ...pickMountOptions(mounted), server, answersSlash: !decidesOnSlashes(fastify) })
  if (healthOptions !== false) await app.register(health, optionsOf(healthOptions))
  guardListening(app, mounted)
}

/** What is Fastify's, or makes sense in an application that is there already. */
const elsewhere = {
  logger: 'Give `fastify: { logger }`.',
  loggerInstance: 'Give `fastify: { loggerInstance }`.',
  prefix: "Give it with the path: `path: '/api/mcp'`.",
  server: 'One is made of the other options; `app.register(mcp, { server })` takes one that exists.',
  healthChecks: 'Give `health: { checks }`.',
}

/** What the server is checked together with. */
function hostOf({ fastify, health: given, ...mounted }: HostOptions): Host {
  const options = optionsOf(given)
  const answersSlash = !decidesOnSlashes(fastify ?? {})
  const host = mountHost({ ...mounted, answersSlash }, given === false ? [] : healthPaths(options))
  return {
    optionNames: [...host.optionNames, ...Object.keys(hostOptions)],
    elsewhere: { ...host.elsewhere, ...elsewhere },
    check: (diagnostics) => {
      host.check(diagnostics)
      checkFastify(fastify, diagnostics)
      if (given !== false) readHealthOptions(options, diagnostics)
    },
  }
}

const serverOptions = { http: object<HttpOptions | Http2Options>('Node options') }

/** Checks the members that this module reads; Fastify checks the others. */
function checkFastify(given: HostOptions['fastify'], diagnostics: Diagnostics): void {
  readOptions(hostOptions, { fastify: given }, '', diagnostics)
  readOptions(serverOptions, given ?? {}, 'fastify.', diagnostics)
}

function optionsOf(given: HostOptions['health']): HealthOptions {
  return given === undefined || typeof given === 'boolean' ? {} : given
}

/** Fastify's time for plugins is that of hooks as well, and calls end in one: long enough for both. 0: as long as it takes. */
function pluginTimeoutFor(drainTimeoutMs = 10_000): number {
  const both = pluginTimeoutMs + drainTimeoutMs
  return Number.isInteger(both) && both <= longestTimer ? both : 0
}

/** Where the router is told what to do about slashes, it does that: the endpoint at both paths would be one too many. */
function decidesOnSlashes({ routerOptions, ignoreTrailingSlash }: FastifyServerOptions): boolean {
  return (routerOptions?.ignoreTrailingSlash ?? ignoreTrailingSlash) !== undefined
}

/** Fastify tells where it listens only once it does, and then somebody may have called. */
function guardListening(app: FastifyInstance, options: MountOptions): void {
  const listen = app.listen.bind(app) as (...args: unknown[]) => Promise<string>
  const guarded = (given?: FastifyListenOptions, callback?: (error: Error | null, address: string) => void) => {
    // Fastify's own default host is localhost.
    const { host = 'localhost', path } = given ?? {}
    const diagnostic = path === undefined ? findBindDiagnostic(host, options, app.mcp) : null
    if (diagnostic === null) return listen(given, callback)
    const error = new BootError([diagnostic])
    if (callback === undefined) return Promise.reject(error)
    callback(error, '')
    return undefined
  }
  app.listen = guarded as typeof app.listen
}
