import type { Logger } from 'pino'
import type { NamesOf } from './check-options.js'
import type { DependencyContainer } from './container/tsyringe.js'
import type { ChangeBus } from './context/changes.js'
import type { ToolListFormat } from './formats/tool-list-formats.js'
import type { HookReference } from './hooks/call-hook.js'
import type { Limits } from './limits/limits.js'
import type { RateLimit, RateLimiter } from './limits/rate-limiter.js'
import type { McpServer } from './mcp-server.js'
import type { Class } from './metadata/types.js'
import type { EventStore } from './protocol/legacy/event-store.js'
import type { SessionStore } from './protocol/legacy/session-store.js'
import type { CacheHints, ServerIdentity } from './protocol/served.js'
import type { TaskBus } from './tasks/task-bus.js'
import type { TaskStore } from './tasks/task-store.js'

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
  /**
   * Runs when the server is closed, after its last call, and is awaited: over stdio as over HTTP, and when `onReady` has
   * failed. The place to close what was opened for it, such as a database.
   */
  readonly onClose?: () => void | Promise<void>
  /** What runs with each call of every feature: classes, made at boot, or objects. The first is the outermost. */
  readonly hooks?: readonly HookReference[]
  /** Default: pino, to stderr. */
  readonly logger?: Logger
  /** What is left out is as in `defaultLimits`. */
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
