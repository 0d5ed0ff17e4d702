import type { ServerOptions } from '@toolwright/core'
import { checkNames, type Host, type Problems } from '@toolwright/core/internal'
import { checkMountOptions } from './check-mount.js'
import { checkPaths, type Paths } from './check-paths.js'
import type { MountOptions } from './options.js'

/** A list that the compiler holds to be complete. */
const mountOptionNames: Readonly<Record<keyof MountOptions, true>> = {
  path: true,
  allowedHosts: true,
  allowedOrigins: true,
  sessions: true,
  streamAnswers: true,
  retryMs: true,
  keepAliveMs: true,
  legacySse: true,
  webSocket: true,
  rpc: true,
  authentication: true,
  allowAnonymous: true,
  drainTimeoutMs: true,
  onDrainTimeout: true,
  cors: true,
  waive: true,
}

/** What Fastify and `createHost` put among the options of a plugin or take from them, and the server that was made before. */
const pluginOptionNames = ['prefix', 'logLevel', 'logSerializers', 'server', 'answersSlash']

/** What those who know Fastify look for here. */
const elsewhere: Readonly<Record<string, string>> = {
  port: '`serve` reads the environment variables PORT and HOST; else give it to `listen`.',
  host: '`serve` reads the environment variables PORT and HOST; else give it to `listen`.',
  trustProxy:
    "It is Fastify's: give `fastify: { trustProxy: ['loopback'] }`, or `Fastify({ trustProxy: ['loopback'] })`.",
  bodyLimit: 'Give limits.maxMessageBytes.',
}

/**
 * The mount options among those of a server.
 *
 * @param others What else answers in the same application.
 */
export function mountHost(options: MountOptions, others: Paths = []): Host {
  const optionNames = [...Object.keys(mountOptionNames), ...pluginOptionNames]
  const check = (problems: Problems): void => {
    checkMountOptions(options, problems)
    checkPaths(options, others, problems)
  }
  return { optionNames, elsewhere, check }
}

/** Where callers are asked who they are, whatever says nothing is for those who are known. */
export function closeWhereAuthenticated<Options extends MountOptions & Pick<ServerOptions, 'authorization'>>(
  options: Options,
): Options {
  const { authentication, authorization } = options
  return authentication === undefined || authorization !== undefined ? options : { ...options, authorization: {} }
}

/** For a server that exists: nothing besides mount options is read. */
export function checkMount(options: MountOptions, problems: Problems): void {
  const { optionNames, check } = mountHost(options)
  checkNames(options, optionNames, problems, { elsewhere })
  check(problems)
}

/** The mount options of a host that takes others as well. */
export function pickMountOptions(options: MountOptions): MountOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(mountOptionNames, name)))
}

/** What a host passes on to a server that is served without HTTP. */
export function omitMountOptions<Options extends MountOptions>(options: Options): Omit<Options, keyof MountOptions> {
  const others = Object.entries(options).filter(([name]) => !Object.hasOwn(mountOptionNames, name))
  return Object.fromEntries(others) as Omit<Options, keyof MountOptions>
}
