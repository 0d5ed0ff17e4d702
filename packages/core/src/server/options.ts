import type { Logger } from 'pino'
import { authorizationOptions } from '../catalog/authorization/authorization-options.js'
import type { DependencyContainer } from '../container/tsyringe.js'
import type { ChangeBus } from '../context/changes.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import type { HookReference } from '../hooks/call-hook.js'
import { limitsOption } from '../limits/limits.js'
import { rateLimited, rateLimitOptions } from '../limits/rate-limit.js'
import type { RateLimiter } from '../limits/rate-limiter.js'
import type { Class, Icon } from '../metadata/types.js'
import {
  count,
  custom,
  flag,
  func,
  list,
  milliseconds,
  nested,
  oneOf,
  required,
  someOf,
  text,
  unchecked,
  withMethods,
} from '../options/kinds.js'
import type { OptionsOf } from '../options/option.js'
import type { Extension } from '../protocol/extensions/extension.js'
import type { RoundStore } from '../protocol/modern/round-store.js'
import { supportedVersions } from '../protocol/revisions.js'
import type { MaybePromise } from '../timing/maybe-promise.js'
import { checkExtensions } from './check-extensions.js'
import type { McpServer } from './mcp-server.js'
import { checkSources, type FeatureSource } from './sources/feature-source.js'

export const identityOptions = {
  /** Programmatic name of the server. */
  name: required(text({ pattern: /./s, fix: 'Give the server a name: clients show it.' })),
  /** The version of your server, such as `1.0.0`. */
  version: required(text({ pattern: /./s, fix: 'Give the server a version: clients show it.' })),
  /** Display name of the server. */
  title: unchecked<string>('`string`'),
  /** Purpose of the server. Sent from 2025-11-25 on. */
  description: unchecked<string>('`string`'),
  /** The `https:` URL of the server's website. Sent from 2025-11-25 on. */
  websiteUrl: unchecked<string>('`string`'),
  /** Pictures of the server, with `https:` or `data:` URIs. Sent from 2025-11-25 on. */
  icons: unchecked<readonly Icon[]>('`Icon[]`'),
  /** Instructions for the model that uses the server. */
  instructions: unchecked<string>('`string`'),
}

export const contentOptions = {
  /**
   * Folders of modules whose exported classes are served. Symbolic links are followed. Tests, mocks, stories and
   * benchmarks are skipped by name.
   * @see docs/how-to/troubleshoot.md#the-tool-is-not-in-the-report
   */
  scan: unchecked<URL | string | readonly (URL | string)[]>('a path or `file:` URL, or several'),
  /** Classes to serve, in addition to `scan`. */
  controllers: list<Class>('classes'),
  /**
   * Sources of features that come from elsewhere, such as an API or another server. Default: none.
   * @see docs/how-to/write-a-source.md
   */
  sources: custom<readonly FeatureSource[], readonly FeatureSource[]>('`FeatureSource[]`', checkSources, {
    default: [],
  }),
  /** The tsyringe container that resolves injected instances. Default: the global container. */
  container: withMethods<DependencyContainer>('`DependencyContainer`', [
    'createChildContainer',
    'isRegistered',
    'register',
    'registerInstance',
    'resolve',
  ]),
  /**
   * Called at boot, to add features. The server accepts requests after `onReady` has settled. If `onReady` throws, or the server
   * has no features afterwards, the server does not start. `controllers: []` allows a server without features.
   * @see docs/how-to/change-the-catalog.md#add-features-before-the-server-starts
   */
  onReady: func<(server: McpServer) => MaybePromise<void>>('`(server) => void` or a promise', ' that takes the server'),
  /**
   * Called and awaited when the server closes, after the last call, or when `onReady` has failed.
   * @see docs/how-to/inject-services.md#open-a-connection-first
   */
  onClose: func<() => MaybePromise<void>>('`() => void` or a promise'),
  /**
   * Hooks that run with each call. The first hook is the outermost.
   * @see docs/reference/hooks.md
   */
  hooks: list<HookReference>('classes or objects'),
  /** Destination of the log. Default: in a Fastify application, its logger; otherwise pino, to stderr. */
  logger: withMethods<Logger>('pino `Logger`', ['child', 'debug', 'error', 'fatal', 'info', 'trace', 'warn']),
  /** Whether clients get the text of unexpected errors. For development only. Default: false. */
  exposeErrors: flag({ default: false }),
}

export const accessOptions = {
  /**
   * Access to features without `@Authorize` and `@AllowAnonymous`. Default: open to all callers, unless a class has one
   * of these decorators.
   * @see docs/reference/options.md#authorization
   */
  authorization: nested(authorizationOptions, { default: undefined, type: '`AuthorizationOptions`' }),
  /**
   * Upper limits. Default: `defaultLimits`.
   * @see docs/reference/options.md#limits
   */
  limits: limitsOption,
  /**
   * Limits the requests of each caller in a time window. A caller is a principal or, if anonymous, an address. Default: no limit.
   * @see docs/how-to/limit-load.md
   */
  rateLimit: rateLimited(rateLimitOptions),
}

const requestStateOptions = {
  /** Milliseconds until the state of a call expires: the client must respond earlier. Default: 10 min. */
  ttlMs: milliseconds({ default: 10 * 60_000 }),
  /**
   * Secrets of at least 32 bytes. The first secret encrypts, and all secrets decrypt: to change the secret, put the new secret
   * first. Nodes with the same clients need the same secrets. Default: a random secret for each process.
   */
  keys: custom<readonly (Uint8Array | string)[]>('secrets', checkKeys),
}

export const storeOptions = {
  /** Counts calls for every rate limit. Default: in memory. */
  rateLimiter: withMethods<RateLimiter>('`RateLimiter`', ['take']),
  /**
   * Stores the steps and responses of calls with client requests (2026-07-28), so that repeated requests do not run them again.
   * Default: in memory, within the limits.
   * @see docs/reference/client-requests.md#repeated-rounds
   */
  roundStore: withMethods<RoundStore>('`RoundStore`', ['enter', 'renew', 'storeStep', 'end']),
  /** Carries changes to the subscribed clients of all nodes. Default: `InProcessChangeBus`. */
  changeBus: withMethods<ChangeBus>('`ChangeBus`: `publish`, `subscribe`', ['publish', 'subscribe']),
  /**
   * Encrypts the state of calls with client requests (2026-07-28). Default: a random key, 10 minutes.
   * @see docs/reference/client-requests.md#limits
   */
  requestState: nested(requestStateOptions),
}

const cacheOptions = {
  /** Milliseconds for which a client can reuse a list. Default: 0. */
  ttlMs: milliseconds({ default: 0, min: 0, max: Number.MAX_SAFE_INTEGER }),
  /** `public`: a shared cache can serve a list to every client. Default: `private`. */
  cacheScope: oneOf(['private', 'public'], { default: 'private' }),
}

const compatOptions = {
  /** Whether every tool result has `structuredContent`, `isError` and at least one block of `content`. Default: false. */
  alwaysStructuredContent: flag({ default: false }),
  /** Whether the last page of a list has `nextCursor: ''`. Default: false. */
  alwaysNextCursor: flag({ default: false }),
}

export const clientOptions = {
  /**
   * Revisions that the server offers, such as `['2025-11-25']`. Default: all.
   * @see docs/reference/protocol-support.md#fewer-revisions
   */
  revisions: someOf(supportedVersions, { default: supportedVersions, type: 'versions' }),
  /** Entries on one page of a list. Some clients read only the first page. Default: 1,000. */
  pageSize: count({ default: 1000 }),
  /** Whether list entries contain the tags of their features, in `_meta` as `toolwright/tags`. Default: false. */
  listTags: flag({ default: false }),
  /**
   * Milliseconds for which clients of 2026-07-28 can reuse lists, and whether shared caches can store them: `'private'` or
   * `'public'`. Default: `{ ttlMs: 0, cacheScope: 'private' }`.
   */
  cache: nested(cacheOptions),
  /**
   * Additions to the protocol: capabilities, methods and members of lists. Default: none.
   * @see docs/how-to/write-an-extension.md
   */
  extensions: custom<readonly Extension[], readonly Extension[]>('`Extension[]`', checkExtensions, { default: [] }),
  /**
   * Whether the server notifies clients of changes. If false, `listChanged` and `subscribe` are not declared, and subscriptions
   * are rejected or end immediately. Default: true.
   */
  notifyChanges: flag({ default: true }),
  /**
   * Optional members that some clients require. Default: both false.
   * @see docs/reference/options.md#compat
   */
  compat: nested(compatOptions),
}

export const serverOptions = {
  ...identityOptions,
  ...contentOptions,
  ...accessOptions,
  ...storeOptions,
  ...clientOptions,
}

/**
 * Options of a server. The required options are `name`, `version` and at least one of `scan`, `controllers`, `sources` and
 * `onReady`.
 */
export interface ServerOptions extends OptionsOf<typeof serverOptions> {}

const otherServer = 'Create the server with createServer of @toolwright/server.'

const noModules = 'There are no modules: register services in `container`, and give `controllers` or `scan`.'

/** Advice on option names that no {@link ServerPart} of the server has. */
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
  sessionStore: otherServer,
  eventStore: otherServer,
  tasks: otherServer,
  skills: otherServer,
  listFormats: otherServer,
}

const leastKeyBytes = 32

function checkKeys(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (Array.isArray(given) && given.length > 0 && given.every(isLongEnough)) return true
  diagnostics.add(
    'bad-option',
    `${option} needs at least one key, and each key at least ${leastKeyBytes} bytes: ` +
      '`openssl rand -base64 32` prints a key. Leave the option out for a random key.',
  )
  return false
}

function isLongEnough(key: unknown): boolean {
  return (typeof key === 'string' || key instanceof Uint8Array) && Buffer.byteLength(key) >= leastKeyBytes
}
