import { hkdfSync, randomBytes } from 'node:crypto'
import { type Logger, pino } from 'pino'
import { checkIconNames } from './catalog/check-description.js'
import { noRules, type RuleBookOptions } from './catalog/rule-book.js'
import {
  adviceOn,
  checkNames,
  type NameAdvice,
  requireBoolean,
  requireFunction,
  requireMethods,
  requireNumber,
  requireObject,
} from './check-options.js'
import type { DependencyContainer } from './container/tsyringe.js'
import { type ChangeBus, InProcessChangeBus } from './context/changes.js'
import { describeValue } from './errors/describe-value.js'
import type { Problems } from './errors/problems.js'
import { type ToolListFormat, toolListFormats } from './formats/tool-list-formats.js'
import type { HookReference } from './hooks/call-hook.js'
import { checkRateLimit } from './limits/check-limits.js'
import { defaultLimits, type Limits } from './limits/limits.js'
import { InMemoryRateLimiter, type RateLimit, type RateLimiter } from './limits/rate-limiter.js'
import { TimedRateLimiter } from './limits/timed-rate-limiter.js'
import { logOutput } from './log-output.js'
import type { Class } from './metadata/types.js'
import type { EventStore } from './protocol/legacy/event-store.js'
import { InMemorySessionStore } from './protocol/legacy/in-memory-session-store.js'
import type { SessionStore } from './protocol/legacy/session-store.js'
import type { RequestStateOptions } from './protocol/modern/request-state.js'
import type { CacheHints, ServerIdentity } from './protocol/served.js'
import type { ResolvedOptions } from './resolved-options.js'
import type { McpServer } from './server.js'
import { InProcessTaskBus, type TaskBus } from './tasks/task-bus.js'
import { InMemoryTaskStore, type TaskStore } from './tasks/task-store.js'

/** What holds for the authorization of all features. */
export interface AuthorizationOptions {
  /** Who may use a feature about which nothing is said. Default: `authenticated`. */
  readonly default?: 'authenticated' | 'anonymous'
  /**
   * Answers a caller who is refused as if there were no such feature, and hides what lacks a scope as well. Clients then
   * cannot be told what to ask for. Default: false.
   */
  readonly hideForbidden?: boolean
  /** Scopes that grant others besides themselves: `{ 'tools:admin': ['tools:write'] }`. Default: none. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>
  /** Names of tools with `destructiveHint: true` that anybody may call all the same. Default: none. */
  readonly allowAnonymousDestructive?: readonly string[]
  /** Milliseconds for a policy to decide; after that it is a no. Default: 5,000. */
  readonly policyTimeoutMs?: number
}

/** What a server is made of. `name`, `version` and one of `scan` and `controllers` are all it needs. */
export interface ServerOptions extends ServerIdentity {
  /** Tells the model how to use the server. */
  readonly instructions?: string
  /** Folders whose modules are loaded; their exported classes with features are served. */
  readonly scan?: URL | string | readonly (URL | string)[]
  /** Classes to serve, besides those that are scanned. */
  readonly controllers?: readonly Class[]
  /**
   * Folders of skills: instructions for agents, each a folder with a `SKILL.md`. They are read at boot, and served as the
   * Skills extension has it.
   */
  readonly skills?: URL | string | readonly (URL | string)[]
  /** Where injected instances come from. Default: tsyringe's global container. */
  readonly container?: DependencyContainer
  /**
   * Runs once the server is made, and is awaited before it serves anybody: the place to add features that have to be
   * fetched first. The server does not start when it fails, nor when it adds nothing and there is nothing else: give
   * `controllers: []` where that may be.
   */
  readonly onReady?: (server: McpServer) => void | Promise<void>
  /** What runs with each call of every feature: classes, made at boot, or objects. The first is the outermost. */
  readonly hooks?: readonly HookReference[]
  /** Default: pino, to stderr. */
  readonly logger?: Logger
  readonly limits?: Partial<Limits>
  /** How often each caller may send requests: a principal, or without one whoever has an address. Default: no limit. */
  readonly rateLimit?: RateLimit
  /** Counts calls for every rate limit. Default: in memory. */
  readonly rateLimiter?: RateLimiter
  /** Keeps legacy sessions. One that several nodes share lets clients come to any of them. Default: in memory. */
  readonly sessionStore?: SessionStore
  /** Keeps what legacy sessions send over event streams. Default: in memory, within the limits. */
  readonly eventStore?: EventStore
  /** Carries changes to the clients that asked for them, on every node. Default: within this process. */
  readonly changeBus?: ChangeBus
  /** Entries on one page of a list. Default: 100. */
  readonly pageSize?: number
  /**
   * Lists of all tools as others want them, each served as the method `tools/list/NAME`. Default: `toolListFormats`
   * (OpenAI, Anthropic, Ollama, Vercel AI SDK). `{}` serves none.
   */
  readonly listFormats?: Readonly<Record<string, ToolListFormat>>
  /** How long clients may keep lists (2026-07-28). Default: `{ ttlMs: 0, cacheScope: 'private' }`. */
  readonly cache?: Partial<CacheHints>
  /** What calls that ask their client (from 2026-07-28 on) remember between two rounds. It travels over the client. */
  readonly requestState?: {
    /**
     * Secrets of at least 32 bytes. The first seals, all of them open: to change it, put the new one in front. Nodes that
     * serve the same clients need the same ones. Default: a random one for each process.
     */
    readonly keys?: readonly (Uint8Array | string)[]
    /** Milliseconds that a client has to come back with an answer. Default: 10 minutes. */
    readonly ttlMs?: number
  }
  /** Where tasks are kept and what tells of their changes, when several processes serve the same clients. */
  readonly tasks?: {
    /** Default: the memory of this process, within `limits`. */
    readonly store?: TaskStore
    /** Default: within this process. */
    readonly bus?: TaskBus
  }
  /**
   * Who may use what, where `@Authorize` and `@AllowAnonymous` do not say. Given, or with one of those on any class, callers
   * have to be authenticated for whatever is left.
   */
  readonly authorization?: AuthorizationOptions
  /** Sends the text of unexpected errors to clients. For development only. Default: false. */
  readonly exposeErrors?: boolean
  /** For clients that want members which the schema leaves optional. Default: neither. */
  readonly compat?: { readonly alwaysStructuredContent?: boolean; readonly alwaysNextCursor?: boolean }
}

/** A list that the compiler holds to be complete. */
const optionNames: Readonly<Record<keyof ServerOptions, true>> = {
  name: true,
  rateLimit: true,
  rateLimiter: true,
  version: true,
  title: true,
  description: true,
  websiteUrl: true,
  icons: true,
  instructions: true,
  scan: true,
  controllers: true,
  skills: true,
  container: true,
  hooks: true,
  onReady: true,
  logger: true,
  limits: true,
  sessionStore: true,
  eventStore: true,
  changeBus: true,
  pageSize: true,
  listFormats: true,
  cache: true,
  requestState: true,
  tasks: true,
  authorization: true,
  exposeErrors: true,
  compat: true,
}

/** @param host Names of options that the host reads, and where others are to be given. */
export function resolveOptions(
  options: ServerOptions,
  host: NameAdvice & { readonly optionNames: readonly string[] },
  problems: Problems,
): ResolvedOptions {
  checkNames(options, [...Object.keys(optionNames), ...host.optionNames], problems, host)
  checkStores(options, problems)
  const { name, version, title, description, websiteUrl, icons } = options
  requireText('name', name, problems)
  requireText('version', version, problems)
  checkIconNames('', icons, problems)
  const limits = resolveLimits(requireObject('limits', options.limits, problems), problems)
  checkRateLimit('rateLimit', options.rateLimit, problems)
  const pageSize = options.pageSize ?? 100
  requireNumber('pageSize', pageSize, 1, Infinity, problems)
  const { ttlMs = 0, cacheScope = 'private' } = requireObject('cache', options.cache, problems)
  requireNumber('cache.ttlMs', ttlMs, 0, Number.MAX_SAFE_INTEGER, problems)
  if (cacheScope !== 'private' && cacheScope !== 'public') {
    problems.add('bad-option', `cache.cacheScope is ${describeValue(cacheScope)}. Give 'private' or 'public'.`)
  }
  const tasks = requireObject('tasks', options.tasks, problems)
  const compat = requireObject('compat', options.compat, problems)
  requireBoolean('exposeErrors', options.exposeErrors, problems)
  requireBoolean('compat.alwaysStructuredContent', compat.alwaysStructuredContent, problems)
  requireBoolean('compat.alwaysNextCursor', compat.alwaysNextCursor, problems)
  const { controllers = [], hooks = [] } = options
  if (!Array.isArray(hooks)) {
    problems.add('bad-option', `hooks is ${describeValue(hooks)}. Give an array of classes or objects.`)
  }
  requireFunction('onReady', options.onReady, ' that takes the server', problems)
  if (!Array.isArray(controllers)) {
    problems.add('bad-option', `controllers is ${describeValue(controllers)}. Give an array of classes.`)
  }
  if (namesNothingToServe(options) && typeof options.onReady !== 'function') {
    problems.add(
      'bad-option',
      "Nothing to serve: give `scan: new URL('./tools/', import.meta.url)` or `controllers: [MyTools]`.",
    )
  }
  return Object.freeze({
    identity: Object.freeze({ name, version, title, description, websiteUrl, icons }),
    instructions: options.instructions,
    scan: foldersOf(options.scan),
    skills: foldersOf(options.skills),
    controllers: Array.isArray(controllers) ? controllers : [],
    container: options.container,
    hooks: Array.isArray(hooks) ? hooks : [],
    log: options.logger ?? pino({ name }, logOutput(process.stderr.fd || 2)),
    limits,
    rateLimit: options.rateLimit ?? null,
    rateLimiter: resolveRateLimiter(options.rateLimiter, limits),
    sessionStore: options.sessionStore ?? new InMemorySessionStore(limits),
    eventStore: options.eventStore,
    changeBus: options.changeBus ?? new InProcessChangeBus(),
    pageSize,
    listFormats: resolveListFormats(options.listFormats, problems),
    cache: { ttlMs, cacheScope },
    requestState: resolveRequestState(requireObject('requestState', options.requestState, problems), problems),
    taskStore: tasks.store ?? new InMemoryTaskStore(limits),
    taskBus: tasks.bus ?? new InProcessTaskBus(),
    authorization: resolveAuthorization(options.authorization, problems),
    exposeErrors: options.exposeErrors ?? false,
    alwaysStructuredContent: compat.alwaysStructuredContent ?? false,
    alwaysNextCursor: compat.alwaysNextCursor ?? false,
  })
}

/** Whether only `onReady` is left to add features. */
export function namesNothingToServe({ scan, controllers, skills }: ServerOptions): boolean {
  return scan === undefined && controllers === undefined && skills === undefined
}

function resolveRateLimiter(given: RateLimiter | undefined, { storeTimeoutMs }: Limits): RateLimiter {
  return given === undefined ? new InMemoryRateLimiter() : new TimedRateLimiter(given, storeTimeoutMs)
}

const sessionStoreMethods = ['create', 'get', 'update', 'touch', 'delete', 'attach']

function checkStores({ sessionStore, eventStore, changeBus }: ServerOptions, problems: Problems): void {
  requireMethods('sessionStore', sessionStore, sessionStoreMethods, problems)
  requireMethods('eventStore', eventStore, ['append', 'read', 'watch', 'forget'], problems)
  requireMethods('changeBus', changeBus, ['publish', 'subscribe'], problems)
}

function resolveListFormats(
  given: ServerOptions['listFormats'],
  problems: Problems,
): Readonly<Record<string, ToolListFormat>> {
  const formats = requireObject('listFormats', given ?? toolListFormats, problems)
  const checked: Record<string, ToolListFormat> = {}
  for (const [name, format] of Object.entries(formats)) {
    if (/^[\w.-]+$/.test(name) && typeof format === 'function') checked[name] = format
    else {
      problems.add(
        'bad-option',
        `listFormats has '${name}': ${describeValue(format)}. Give a function that takes the tools, under a name of ` +
          'letters, digits and "_.-".',
      )
    }
  }
  return checked
}

function foldersOf(given: ServerOptions['scan']): readonly (URL | string)[] {
  return given === undefined ? [] : ([given].flat() as readonly (URL | string)[])
}

const authorizationOptions: readonly string[] = [
  'default',
  'hideForbidden',
  'impliedScopes',
  'allowAnonymousDestructive',
  'policyTimeoutMs',
] satisfies (keyof AuthorizationOptions)[]

function resolveAuthorization(
  given: AuthorizationOptions | undefined,
  problems: Problems,
): RuleBookOptions | undefined {
  if (given === undefined) return undefined
  checkNames(given, authorizationOptions, problems, { prefix: 'authorization.' })
  const { default: access = 'authenticated', hideForbidden = false, impliedScopes = {} } = given
  const { allowAnonymousDestructive = [], policyTimeoutMs = noRules.policyTimeoutMs } = given
  if (access !== 'authenticated' && access !== 'anonymous') {
    problems.add(
      'bad-option',
      `authorization.default is ${describeValue(access)}. Give 'authenticated' or 'anonymous'.`,
    )
  }
  requireBoolean('authorization.hideForbidden', hideForbidden, problems)
  for (const [scope, implied] of Object.entries(impliedScopes)) {
    if (isListOfTexts(implied)) continue
    const message = `authorization.impliedScopes['${scope}'] is ${describeValue(implied)}. Give an array of scopes.`
    problems.add('bad-option', message)
  }
  if (!isListOfTexts(allowAnonymousDestructive)) {
    const found = describeValue(allowAnonymousDestructive)
    problems.add('bad-option', `authorization.allowAnonymousDestructive is ${found}. Give an array of names of tools.`)
  }
  requireNumber('authorization.policyTimeoutMs', policyTimeoutMs, 1, 2 ** 31 - 1, problems)
  return { isInUse: true, default: access, hideForbidden, impliedScopes, allowAnonymousDestructive, policyTimeoutMs }
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

const leastKeyBytes = 32

function resolveRequestState(
  { keys = [randomBytes(leastKeyBytes)], ttlMs = 10 * 60_000 }: NonNullable<ServerOptions['requestState']> = {},
  problems: Problems,
): RequestStateOptions {
  requireNumber('requestState.ttlMs', ttlMs, 1, Infinity, problems)
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isLongEnough)) {
    problems.add(
      'bad-option',
      `requestState.keys needs at least one key, and each at least ${leastKeyBytes} bytes: ` +
        '`openssl rand -base64 32` makes one. Leave it out for a random key.',
    )
  }
  const usable = Array.isArray(keys) ? keys.filter(isLongEnough).map(deriveKey) : []
  // What expires is written down as JSON, which has no `Infinity`.
  return { keys: usable, ttlMs: Math.min(ttlMs, Number.MAX_SAFE_INTEGER) }
}

function isLongEnough(key: unknown): key is Uint8Array | string {
  return (typeof key === 'string' || key instanceof Uint8Array) && Buffer.byteLength(key) >= leastKeyBytes
}

/** A key of the cipher's length that serves this purpose only, whatever else the secret is used for. */
function deriveKey(secret: Uint8Array | string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'toolwright request state', 32))
}

function resolveLimits(given: Partial<Limits>, problems: Problems): Limits {
  const limits: Record<string, unknown> = { ...defaultLimits }
  for (const [limit, value] of Object.entries(given)) {
    if (!(limit in defaultLimits)) {
      problems.add('bad-option', `limits.${limit} is no limit. ${adviceOn(limit, Object.keys(defaultLimits))}`)
    } else if (value !== undefined) {
      requireNumber(`limits.${limit}`, value, 1, Infinity, problems)
      limits[limit] = value
    }
  }
  return limits as unknown as Limits
}

function requireText(option: string, value: unknown, problems: Problems): void {
  if (typeof value === 'string' && value !== '') return
  problems.add('bad-option', `${option} is ${describeValue(value)}. Give the server a ${option}: clients show it.`)
}
