import type { AuthorizeOptions, CallHook, JsonObject, MaybePromise, Principal, ToolOptions } from '@toolwright/core'
import {
  bytes,
  count,
  custom,
  Diagnostics,
  flag,
  func,
  isObject,
  isStringList,
  milliseconds,
  type OptionsOf,
  type ReadOptions,
  readNamedOptions,
  strings,
  text,
  unchecked,
} from '@toolwright/core/options'

export interface UpstreamTool extends JsonObject {
  readonly name: string
}

/** Settings of this server for a tool of an upstream. */
export interface ToolSettings
  extends Pick<
    ToolOptions,
    'timeoutMs' | 'maxConcurrent' | 'rateLimit' | 'maxResultBytes' | 'rawText' | 'untrusted' | 'transports'
  > {
  /** Same as `@Authorize`. Default: `authorize` of the upstream. */
  readonly authorize?: AuthorizeOptions
  /** Same as `@AllowAnonymous()`. Default: `allowAnonymous` of the upstream. */
  readonly allowAnonymous?: boolean
  /** Hook objects, which run after the hooks of the server. Default: `hooks` of the upstream. */
  readonly hooks?: readonly CallHook[]
}

/** HTTP headers with the credentials for an upstream. */
export type UpstreamHeaders = Readonly<Record<string, string>>

/** Names of variables that are passed on, or variables with values. */
type Environment = readonly string[] | Readonly<Record<string, string>>

const mebibyte = 1024 * 1024

export const upstreamOptions = {
  /** URL of the upstream: Streamable HTTP. Either `url` or `command` is required. */
  url: custom<string | URL>('`string` or `URL`', checkUrl),
  /** Program that serves MCP over stdio. The program ends with this server. */
  command: text({ pattern: /./s, fix: "Give the name or path of a program, such as 'node'." }),
  /** Arguments of the program. Default: none. */
  args: strings(),
  /**
   * Names of the environment variables that the program gets besides `PATH`, or an object with variables and values. Default:
   * none.
   */
  env: custom<Environment, Environment>('names, or an object of strings', checkEnvironment, { default: [] }),
  /** Working directory of the program. Default: the working directory of this server. */
  cwd: text({ fix: 'Give the path of a folder.' }),
  /** Prefix of the names of tools and prompts. Default: the name of the upstream and `_`. */
  prefix: text({ pattern: /^[A-Za-z0-9_.-]*$/, fix: "Give letters, digits and _ . -, such as 'weather_'." }),
  /**
   * Whether the URIs of the upstream stay the same. Then a URI that this server or another upstream has is a boot problem.
   * Default: false.
   */
  keepUris: flag({ default: false }),
  /** Whether the server does not start while the upstream cannot be reached. Default: false. */
  required: flag({ default: false }),
  /**
   * Returns the headers with the credentials for the upstream: of the caller, or for `null` of this server, which lists
   * features. Headers of callers are never passed on. With this option, callers do not share connections. Default: no
   * credentials.
   */
  auth: func<(caller: Principal | null) => MaybePromise<UpstreamHeaders>>(
    '`(caller) => headers`',
    ' that takes the caller and returns headers',
  ),
  /** Timeout of a request to the upstream. Progress restarts the timeout. Default: 1 min. */
  timeoutMs: milliseconds({ default: 60_000 }),
  /** Timeout of the first connection, at boot. Default: 10,000. */
  connectTimeoutMs: milliseconds({ default: 10_000 }),
  /** Maximum size of a message of the upstream. Default: 32 MiB. */
  maxResponseBytes: bytes({ default: 32 * mebibyte }),
  /** Maximum number of features that are listed. Further features are left out. Default: 10,000. */
  maxFeatures: count({ default: 10_000 }),
  /**
   * Whether tools can ask the caller (elicitation, sampling and roots). For upstreams of 2025-11-25 and older, a call of a client
   * that can answer gets its own connection. Default: true.
   */
  questions: flag({ default: true }),
  /** Whether callers get log messages of the upstream. Calls with logs get their own connection. Default: true for a URL. */
  logs: flag(),
  /** How long a question can stay unanswered. Default: 10 min. */
  questionTimeoutMs: milliseconds({ default: 600_000 }),
  /**
   * Maximum number of connections for calls that ask or log. When exceeded: the call is rejected. Default: 1,000 for a URL, 20
   * for a program.
   */
  maxConnections: count(),
  /** Access rule of all features of the upstream, as with `@Authorize`. Default: the default rule of this server. */
  authorize: unchecked<AuthorizeOptions>('[`AuthorizeOptions`](decorators.md#authorize)'),
  /** Whether all callers can use the features of the upstream, as with `@AllowAnonymous()`. Default: false. */
  allowAnonymous: flag({ default: false }),
  /** Hook objects for all features of the upstream, which run after the hooks of this server. Default: none. */
  hooks: unchecked<readonly CallHook[]>('`CallHook[]`'),
  /** Returns settings for a tool of the upstream; `false` leaves the tool out. Default: no settings. */
  tool: func<(tool: UpstreamTool) => ToolSettings | false>('`(tool) => settings`', ' that takes the tool as listed'),
}

export interface UpstreamOptions extends OptionsOf<typeof upstreamOptions> {}

export type ReadUpstreamOptions = ReadOptions<typeof upstreamOptions>

export interface Upstreams {
  readonly [name: string]: UpstreamOptions
}

const validName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/

export function readUpstreams(upstreams: Upstreams): ReadonlyMap<string, ReadUpstreamOptions> {
  const diagnostics = new Diagnostics()
  const read = new Map<string, ReadUpstreamOptions>()
  if (!isObject(upstreams))
    diagnostics.addBadOption('proxy', upstreams, 'Give an object: the options of each upstream by name.')
  for (const [name, options] of Object.entries(isObject(upstreams) ? upstreams : {})) {
    const prefix = `proxy: ${name}.`
    if (!validName.test(name)) {
      const fix = 'Use 1 to 32 letters, digits and _ . -, and begin with a letter or digit.'
      diagnostics.add('bad-option', `proxy: '${name}' is not a name for an upstream. ${fix}`)
    }
    if (!isObject(options)) {
      diagnostics.addBadOption(`proxy: ${name}`, options, 'Give an object with url or command.')
      continue
    }
    read.set(name, readNamedOptions(upstreamOptions, options, { prefix }, diagnostics))
    checkCombinations(name, options, diagnostics)
  }
  diagnostics.throwIfAny()
  return read
}

function checkCombinations(name: string, options: UpstreamOptions, diagnostics: Diagnostics): void {
  const { url, command, authorize, allowAnonymous } = options
  const report = (message: string): void => diagnostics.add('bad-option', `proxy: ${name}: ${message}`)
  if (url === undefined && command === undefined)
    report("it has neither url nor command. Give url: 'http://…/mcp', or the command of a program.")
  if (url !== undefined && command !== undefined) report('it has both url and command. Remove one.')
  if (authorize !== undefined && allowAnonymous === true)
    report('it has both authorize and allowAnonymous, which contradict each other. Remove one.')
  if (command === undefined) {
    for (const member of ['args', 'env', 'cwd'] as const)
      if (options[member] !== undefined) report(`${member} is only for programs. Give command, or remove ${member}.`)
  } else if (options.auth !== undefined)
    report('auth returns HTTP headers, which a program does not get. Give the program its credentials in env.')
}

function checkUrl(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  const isUrl = (typeof given === 'string' || given instanceof URL) && URL.canParse(String(given))
  const { protocol, username } = isUrl ? new URL(String(given)) : { protocol: '', username: '' }
  if (isUrl && (protocol === 'http:' || protocol === 'https:') && username === '') return true
  const found = isUrl ? `a URL with ${username === '' ? protocol : 'a user'}` : given
  const fix = "Give an absolute URL such as 'http://127.0.0.1:4000/mcp'. Credentials go into auth."
  if (isUrl) diagnostics.add('bad-option', `${option} is ${String(found)}. ${fix}`)
  else diagnostics.addBadOption(option, given, fix)
  return false
}

function checkEnvironment(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (isStringList(given)) return true
  if (isObject(given) && Object.values(given).every((value) => typeof value === 'string')) return true
  diagnostics.addBadOption(option, given, "Give names of variables, such as ['HOME'], or an object of strings.")
  return false
}
