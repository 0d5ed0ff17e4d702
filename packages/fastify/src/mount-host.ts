import type { ServerOptions } from '@toolwright/core'
import { checkNames, describeValue, type Host, type Problems, requireNumber } from '@toolwright/core/internal'
import { findMountProblems } from './check-mount.js'
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

/** What Fastify itself puts among the options of a plugin or takes from them, and the server that was made before. */
const pluginOptionNames = ['prefix', 'logLevel', 'logSerializers', 'server']

/** The mount options among those of a server. */
export function mountHost(options: MountOptions): Host {
  const optionNames = [...Object.keys(mountOptionNames), ...pluginOptionNames]
  return { optionNames, check: (problems) => checkMountOptions(options, problems) }
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
  checkNames(options, mountHost(options).optionNames, problems)
  checkMountOptions(options, problems)
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

function checkMountOptions(options: MountOptions, problems: Problems): void {
  const { path = '/mcp', retryMs = 0, keepAliveMs = 1 } = options
  if (typeof path !== 'string' || !path.startsWith('/')) {
    problems.add('bad-option', `path is ${describeValue(path)}. Give a path that begins with /, such as '/mcp'.`)
  }
  checkTexts('allowedHosts', options.allowedHosts, "['mcp.example.com']", problems)
  checkTexts('allowedOrigins', options.allowedOrigins, "['https://app.example.com']", problems)
  requireNumber('retryMs', retryMs, 0, Number.MAX_SAFE_INTEGER, problems)
  requireNumber('keepAliveMs', keepAliveMs, 1, 2 ** 31 - 1, problems)
  for (const { code, message } of findMountProblems(options)) problems.add(code, message)
  for (const option of ['webSocket', 'rpc'] as const) checkEndpoint(option, options[option], problems)
  for (const option of ['sessions', 'streamAnswers', 'legacySse'] as const) {
    const value: unknown = options[option] ?? false
    if (typeof value !== 'boolean') {
      problems.add('bad-option', `${option} is ${describeValue(value)}. Give true or false.`)
    }
  }
}

/** One that is on or off, or on at a path. */
function checkEndpoint(option: 'webSocket' | 'rpc', value: MountOptions['rpc'], problems: Problems): void {
  if (value === undefined || typeof value === 'boolean') return
  const path: unknown = (value as { readonly path?: unknown } | null)?.path
  if (typeof path === 'string' && path.startsWith('/')) return
  problems.add(
    'bad-option',
    `${option} is ${describeValue(value)}. Give true, or { path: '/${option.toLowerCase()}' }.`,
  )
}

function checkTexts(option: string, value: unknown, example: string, problems: Problems): void {
  if (value === undefined) return
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')) return
  problems.add('bad-option', `${option} is ${describeValue(value)}. Give an array of texts, such as ${example}.`)
}
