import type { Logger } from 'pino'
import type { NamesOf } from '../check-options.js'
import type { DependencyContainer } from '../container/tsyringe.js'
import type { ChangeBus } from '../context/changes.js'
import type { ToolListFormat } from '../formats/tool-list-formats.js'
import type { HookReference } from '../hooks/call-hook.js'
import type { Limits } from '../limits/limits.js'
import type { RateLimit, RateLimiter } from '../limits/rate-limiter.js'
import type { Class } from '../metadata/types.js'
import type { CacheHints, ServerIdentity } from '../protocol/dependencies.js'
import type { Extension } from '../protocol/extensions/extension.js'
import type { EventStore } from '../protocol/legacy/sessions/event-store.js'
import type { SessionStore } from '../protocol/legacy/sessions/session-store.js'
import type { TaskBus } from '../tasks/task-bus.js'
import type { TaskStore } from '../tasks/task-store.js'
import type { McpServer } from './mcp-server.js'

/** Who may use features about which neither `@Authorize` nor `@AllowAnonymous` says anything. */
export interface AuthorizationOptions {
  /** Who may use a feature about which nothing is said. Default: `authenticated`. */
  readonly default?: 'authenticated' | 'anonymous'
  /**
   * Answers a refused caller as if the feature did not exist, and leaves it out of lists also when only a scope is
   * missing. Clients then do not learn which scopes to ask for. Default: false.
   */
  readonly hideForbidden?: boolean
  /** Scopes that grant others: `{ 'tools:admin': ['tools:write'] }`. Default: none. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>
  /** Names of tools with `destructiveHint: true` that anybody may call all the same. Default: none. */
  readonly allowAnonymousDestructive?: readonly string[]
  /** Milliseconds for a policy to decide. A policy that takes longer has refused. Default: 5,000. */
  readonly policyTimeoutMs?: number
}

/** What a server is made of. It needs `name`, `version` and one of `scan`, `controllers`, `skills` and `onReady`. */
export interface ServerOptions extends ServerIdentity {
  /** Tells the model how to use the server. */
  readonly instructions?: string
  /** Folders, as `file:` URLs or paths: their modules are loaded, and the exported classes with features are served. */
  readonly scan?: URL | string | readonly (URL | string)[]
  /** Classes to serve, besides those that `scan` finds. */
  readonly controllers?: readonly Class[]
  /**
   * Folders of skills. A skill is a folder with a `SKILL.md`: instructions for agents. Skills are read at boot, and
   * served by the Skills extension and as resources.
   */
  readonly skills?: URL | string | readonly (URL | string)[]
  /** Where injected instances come from. Default: tsyringe's global container. */
  readonly container?: DependencyContainer
  /**
   * Is awaited before the server serves anybody: the place to add features that must be fetched first. If it fails, the
   * server does not start. The same holds if there is nothing to serve afterwards; give `controllers: []` to allow
   * that.
   */
  readonly onReady?: (server: McpServer) => void | Promise<void>
  /**
   * Is awaited when the server closes, after its last call: the place to close what was opened for it, such as a
   * database. Runs over stdio as over HTTP, and also when `onReady` has failed.
   */
  readonly onClose?: () => void | Promise<void>
  /** Hooks that run with each call of every feature: classes, made at boot, or objects. The first is the outermost. */
  readonly hooks?: readonly HookReference[]
  /** Where the log goes. Default: in a Fastify application its logger, otherwise pino, to stderr. */
  readonly logger?: Logger
  /** How much the server takes. What is left out is as in `defaultLimits`. */
  readonly limits?: Partial<Limits>
  /** How often each caller may send requests: a principal or, without one, an address. Default: no limit. */
  readonly rateLimit?: RateLimit
  /** Counts calls for every rate limit. Default: in memory. */
  readonly rateLimiter?: RateLimiter
  /**
   * Keeps sessions of 2025-11-25 and older. With one that several nodes share, clients may come to any node. Default:
   * in memory.
   */
  readonly sessionStore?: SessionStore
  /** Keeps what those sessions send over event streams. Default: in memory, within the limits. */
  readonly eventStore?: EventStore
  /** Carries changes to the clients that asked for them, on every node. Default: within this process. */
  readonly changeBus?: ChangeBus
  /** Entries on one page of a list. Default: 100. */
  readonly pageSize?: number
  /**
   * Lists of all tools in the format of a vendor, each served as the method `tools/list/NAME`. `{}` serves none.
   * Default: `toolListFormats` (OpenAI, Anthropic, Ollama, Vercel AI SDK).
   */
  readonly listFormats?: Readonly<Record<string, ToolListFormat>>
  /** Additions to the protocol: capabilities, methods and members of lists. Default: none. */
  readonly extensions?: readonly Extension[]
  /**
   * Whether the server notifies clients of changes. `false` is for static catalogs and short-lived hosts: the server
   * declares neither `listChanged` nor `subscribe`, and takes no subscriptions. Default: true.
   */
  readonly notifyChanges?: boolean
  /** How long clients may keep lists (2026-07-28). Default: `{ ttlMs: 0, cacheScope: 'private' }`. */
  readonly cache?: Partial<CacheHints>
  /** How the state of a call that asks its client (2026-07-28) is sealed between two rounds: the client keeps it. */
  readonly requestState?: {
    /**
     * Secrets of at least 32 bytes. The first seals, all of them open: to change the secret, put the new one first.
     * Nodes that serve the same clients need the same secrets. Default: a random one for each process.
     */
    readonly keys?: readonly (Uint8Array | string)[]
    /** Milliseconds that a client has to come back with an answer. Default: 10 minutes. */
    readonly ttlMs?: number
  }
  /**
   * Where tasks are kept, and what tells of their changes: to be shared when several processes serve the same clients.
   */
  readonly tasks?: {
    /** Default: the memory of this process, within `limits`. */
    readonly store?: TaskStore
    /** Default: within this process. */
    readonly bus?: TaskBus
  }
  /**
   * Who may use features about which `@Authorize` and `@AllowAnonymous` say nothing. If this is given, or one of those
   * is on any class, such features are for authenticated callers only.
   */
  readonly authorization?: AuthorizationOptions
  /** Sends the text of unexpected errors to clients. For development only. Default: false. */
  readonly exposeErrors?: boolean
  /**
   * For clients that insist on optional members. `alwaysStructuredContent`: results of tools have `structuredContent`,
   * `isError` and at least one block of `content`. `alwaysNextCursor`: lists end with `nextCursor: ''`. Default: neither.
   */
  readonly compat?: { readonly alwaysStructuredContent?: boolean; readonly alwaysNextCursor?: boolean }
}

const server: NamesOf<ServerOptions> = {
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
  onClose: true,
  logger: true,
  limits: true,
  sessionStore: true,
  eventStore: true,
  changeBus: true,
  pageSize: true,
  listFormats: true,
  extensions: true,
  notifyChanges: true,
  cache: true,
  requestState: true,
  tasks: true,
  authorization: true,
  exposeErrors: true,
  compat: true,
}

const authorization: NamesOf<AuthorizationOptions> = {
  default: true,
  hideForbidden: true,
  impliedScopes: true,
  allowAnonymousDestructive: true,
  policyTimeoutMs: true,
}

const cache: NamesOf<CacheHints> = { ttlMs: true, cacheScope: true }
const compat: NamesOf<ServerOptions['compat']> = { alwaysStructuredContent: true, alwaysNextCursor: true }
const requestState: NamesOf<ServerOptions['requestState']> = { keys: true, ttlMs: true }
const tasks: NamesOf<ServerOptions['tasks']> = { store: true, bus: true }

/** Every option that there is: those of the server, and those of each object among them. */
export const optionNames = { server, authorization, cache, compat, requestState, tasks }

const noModules = 'There are no modules: register services in `container`, and give `controllers` or `scan`.'

/** What those who know other frameworks look for, and where it is. */
export const optionsElsewhere: Readonly<Record<string, string>> = {
  tools: 'Give `controllers: [MyTools]`, classes whose methods have @McpTool().',
  metrics: 'Give `hooks: [metrics]`.',
  interceptors: 'Give `hooks: [MyHook]`.',
  middleware: 'Give `hooks: [MyHook]`.',
  guards: 'Write @Authorize() on classes and methods.',
  principal:
    'A principal belongs to a caller: `authentication` finds it. In tests, give connect(options, { principal }).',
  providers: noModules,
  imports: noModules,
  modules: noModules,
}
