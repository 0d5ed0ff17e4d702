import type { Logger } from 'pino'
import { ScopeGrants } from '../authorization/scopes.js'
import type { Catalog } from '../catalog/catalog.js'
import type { CatalogEntry } from '../catalog/definitions.js'
import type { FeatureRegistry } from '../catalog/feature-registry.js'
import type { ScanResult } from '../catalog/scan/scan-modules.js'
import type { AppContainer } from '../container/app-container.js'
import type { PromptResult } from '../content.js'
import { bindChanges, type Changes } from '../context/changes.js'
import type { CompletionResult } from '../decorators/mcp-completion.js'
import { LimitError } from '../errors/limit-error.js'
import { logFailure } from '../errors/log-failure.js'
import type { RejectionObservers } from '../hooks/rejection-observers.js'
import { CallLimiter } from '../limits/call-limiter.js'
import { type Counter, OversizedMessages } from '../limits/counter.js'
import { InFlight } from '../limits/in-flight.js'
import type { Limits } from '../limits/limits.js'
import { SubscriptionQuota } from '../limits/subscription-quota.js'
import { Gauges } from '../metrics/gauges.js'
import type { Plans } from '../plan/plans.js'
import { errorAnswer, failExchange } from '../protocol/answer.js'
import { receiveBatch } from '../protocol/batch.js'
import type { ProtocolDependencies, ServerIdentity } from '../protocol/dependencies.js'
import type { Exchange } from '../protocol/exchange.js'
import type { Extension } from '../protocol/extensions/extension.js'
import { Extensions } from '../protocol/extensions/extensions.js'
import { InProcess, type InProcessOptions } from '../protocol/in-process.js'
import { createLegacyEra } from '../protocol/legacy/era.js'
import type { Sessions } from '../protocol/legacy/session.js'
import { createModernEra } from '../protocol/modern/era.js'
import { OpenSubscriptions } from '../protocol/modern/open-subscriptions.js'
import { createNotification } from '../protocol/own-notifications.js'
import type { ClientRequestCounters } from '../protocol/pending-client-requests.js'
import { type Eras, receiveMessage } from '../protocol/receive.js'
import type {
  CallToolResult,
  CompleteParams,
  ListedPrompt,
  ListedResource,
  ListedResourceTemplate,
  ListedTool,
  ReadResourceResult,
} from '../protocol/results.js'
import type { OfferedRevisions } from '../protocol/revisions.js'
import { readersOf } from '../protocol/visible-changes.js'
import { countRequests, idForError, readMessage } from '../rpc/messages.js'
import { withTimeout } from '../timing/with-timeout.js'
import { EnabledSharing } from './enabled-sharing.js'
import type { McpServer } from './mcp-server.js'
import { type CountedParts, publishMetrics, type RejectedCallers, readMetrics, type ServerMetrics } from './metrics.js'
import type { AuthorizationMatrix, CatalogReport, MatrixOptions } from './reports.js'
import type { ResolvedOptions } from './resolve-options.js'
import type { Sources } from './sources/sources.js'

export interface ServerParts {
  readonly options: ResolvedOptions
  readonly catalog: Catalog
  readonly changes: Changes
  readonly plans: Plans
  readonly container: AppContainer
  readonly scan: ScanResult
  readonly sources: Sources
  readonly rejections: RejectionObservers
  readonly limitedRequests: Counter
  readonly oversizedResults: Counter
}

/**
 * A server with the members that transports need. Transports pass exchanges to the server, and send its answers.
 */
export class RunningServer implements McpServer {
  readonly catalog: Catalog
  readonly changes: Changes
  readonly gauges = new Gauges()
  readonly identity: ServerIdentity
  readonly offered: OfferedRevisions
  readonly limits: Limits
  readonly log: Logger
  readonly inFlight: InFlight
  readonly subscriptionQuota: SubscriptionQuota
  /** Legacy HTTP sessions; `null`: the server has none. */
  readonly sessions: Sessions | null
  /** Streams and connections that transports closed because their clients did not read. */
  readonly cutStreams: Counter = { count: 0 }
  /** Bytes of unread responses beyond the bytes that each connection can hold. */
  readonly sharedUnread: Counter = { count: 0 }
  readonly oversizedMessages = new OversizedMessages()
  /** Implied scopes, for authenticators that require scopes. */
  readonly scopeGrants: ScopeGrants
  /** Protocol extensions, which can also extend transports. */
  readonly extensions: readonly Extension[]
  /** Whether features look missing to callers who are not allowed to use them. */
  readonly hidesForbidden: boolean
  /** Requests that transports rejected because of their caller. */
  readonly rejectedCallers: RejectedCallers = { unknown: 0, rejected: 0, unchecked: 0, forbidden: 0 }
  readonly #parts: ServerParts
  readonly #counted: CountedParts
  readonly #eras: Eras
  readonly #inProcess: InProcess
  readonly #extensions: Extensions
  readonly #enabledSharing: EnabledSharing
  readonly #startsCall: readonly ((message: unknown) => boolean)[]
  #closed: Promise<void> | undefined

  constructor(parts: ServerParts) {
    const { options, catalog, changes, plans, rejections, limitedRequests, oversizedResults } = parts
    const { limits, log, revisions, extensions } = options
    const { maxBatch, maxResultBytes, clientRequestTimeoutMs } = limits
    const { oversizedMessages, cutStreams, rejectedCallers } = this
    const inFlight = new InFlight(limits.maxInFlight, log)
    const subscriptionQuota = new SubscriptionQuota(limits.maxSubscribedBytes)
    const { changeBus, notifyChanges } = options
    const sessionServer = { catalog, plans, changeBus, notifyChanges, revisions, subscriptionQuota, log }
    const sessions = options.createSessions?.(sessionServer) ?? null
    const notifying = { ...options, catalog, maxBytes: maxResultBytes, node: catalog.node }
    bindChanges(
      changes,
      (uri) => readersOf(uri, { catalog, plans }),
      (method, params, notifyOptions) => createNotification(method, params, notifyOptions, notifying),
    )
    this.#extensions = new Extensions(extensions, catalog, log)
    this.#extensions.open()
    const subscriptions = new OpenSubscriptions(limits)
    const clientRequests: ClientRequestCounters = { pending: 0, rejected: 0 }
    const bounds = { jsonBounds: limits, maxResultBytes, clientRequestTimeoutMs, oversizedResults, clientRequests }
    const own = { extensions: this.#extensions, sessions, subscriptions, catalog, plans, changes }
    const dependencies: ProtocolDependencies = { ...options, ...bounds, ...own }
    const modern = createModernEra(dependencies)
    const counters = { oversizedResults, oversizedMessages }
    this.#eras = {
      legacy: createLegacyEra(dependencies),
      modern,
      revisions,
      maxBatch,
      maxResultBytes,
      sessions,
      ...counters,
      callers: createCallerLimiter(options, limitedRequests),
      extensions,
      receivers: extensions.flatMap(({ receive }) => receive ?? []),
      receivingServer: { catalog, inFlight },
    }
    this.#inProcess = new InProcess(dependencies, modern)
    this.#enabledSharing = new EnabledSharing(catalog, options.changeBus, log)
    this.#parts = parts
    this.catalog = catalog
    this.changes = changes
    this.identity = options.identity
    this.offered = revisions
    this.extensions = extensions
    this.#startsCall = extensions.flatMap(({ startsCall }) => startsCall ?? [])
    this.limits = limits
    this.log = log
    this.scopeGrants = new ScopeGrants(options.authorization?.impliedScopes ?? {})
    this.hidesForbidden = options.hidesForbidden
    this.inFlight = inFlight
    this.subscriptionQuota = subscriptionQuota
    this.sessions = sessions
    const counts = { ...counters, clientRequests, limitedRequests, rejections, rejectedCallers, cutStreams }
    this.#counted = { ...options, ...counts, inFlight, subscriptions, subscriptionQuota }
    publishMetrics(this.gauges, this.#counted)
  }

  /** Whether a message other than a request starts a call, because of an extension. An error of an extension is logged. */
  startsCall(message: unknown): boolean {
    try {
      return this.#startsCall.some((starts) => starts(message))
    } catch (error) {
      logFailure(this.log, error, {}, 'an extension could not tell whether a message starts a call')
      return false
    }
  }

  /** Starts to notify clients and other nodes of changes of the catalog. */
  notifyCatalogChanges(): void {
    notifyCatalogChanges(this.catalog, { changes: this.changes, enabledSharing: this.#enabledSharing })
    this.#enabledSharing.start()
  }

  /**
   * Serves one message, modern or legacy, or a batch. The exchange receives the answer, synchronously if possible. Requests count
   * as in flight until they are answered, and are rejected while too many are in flight. Never throws.
   */
  receive(exchange: Exchange): void {
    const { message } = exchange
    try {
      if (Array.isArray(message)) {
        const requests = countRequests(message)
        if (requests > 0) exchange.admission = this.inFlight.admit(requests)
        void receiveBatch(message, exchange, this.#eras)
      } else {
        const read = readMessage(message)
        // Responses and notifications are always accepted: requests in flight can be waiting for them.
        if (read.kind === 'request') exchange.admission = this.inFlight.admit(1)
        receiveMessage(read, exchange, this.#eras)
      }
    } catch (error) {
      if (error instanceof LimitError) exchange.respond(errorAnswer(idForError(message), error, this.#eras.modern))
      else failExchange(error, exchange)
    }
  }

  /** Called by a transport that authenticates callers. */
  limitAnonymousCallers(): void {
    this.#parts.options.quotaKeys.limitAnonymousCallers()
  }

  metrics(): ServerMetrics {
    return readMetrics(this.#counted)
  }

  callTool(name: string, args: object = {}, options: InProcessOptions = {}): Promise<CallToolResult> {
    return this.#inProcess.callTool(name, args, options)
  }

  listTools(options: InProcessOptions = {}): Promise<ListedTool[]> {
    return this.#inProcess.list('tools/list', 'tools', options)
  }

  readResource(uri: string, options: InProcessOptions = {}): Promise<ReadResourceResult> {
    return this.#inProcess.request('resources/read', { uri }, options)
  }

  listResources(options: InProcessOptions = {}): Promise<ListedResource[]> {
    return this.#inProcess.list('resources/list', 'resources', options)
  }

  listResourceTemplates(options: InProcessOptions = {}): Promise<ListedResourceTemplate[]> {
    return this.#inProcess.list('resources/templates/list', 'resourceTemplates', options)
  }

  getPrompt(name: string, args: object = {}, options: InProcessOptions = {}): Promise<PromptResult> {
    return this.#inProcess.request('prompts/get', { name, arguments: args }, options)
  }

  listPrompts(options: InProcessOptions = {}): Promise<ListedPrompt[]> {
    return this.#inProcess.list('prompts/list', 'prompts', options)
  }

  async complete(params: CompleteParams, options: InProcessOptions = {}): Promise<CompletionResult> {
    const { ref, argument, context } = params
    const { completion } = await this.#inProcess.request<{ readonly completion: CompletionResult }>(
      'completion/complete',
      { ref, argument, context },
      options,
    )
    return completion
  }

  explain(): CatalogReport {
    const { options, scan, sources } = this.#parts
    const { modules, leftOut, hints } = scan
    return options.reports.explain(this.catalog, { modules, leftOut, sources: sources.explain(), hints })
  }

  authorizationMatrix(options: MatrixOptions = {}): AuthorizationMatrix {
    return this.#parts.options.reports.authorizationMatrix(this.catalog, options)
  }

  get revisions(): readonly string[] {
    return this.offered.versions
  }

  get allowsAnonymous(): boolean {
    return this.catalog.isOpen
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const { container, options, sources } = this.#parts
    await drain(this)
    this.#enabledSharing.stop()
    try {
      await this.#extensions.close()
    } finally {
      await sources.close()
      try {
        options.rounds.close()
        this.sessions?.close()
        options.closeStores()
        await container.close()
      } finally {
        // `onClose` is called last: until their disposal, instances could use resources that `onClose` closes.
        await options.onClose?.()
      }
    }
  }
}

/** Waits for requests in flight. A call can have a longer time limit than others, or none. */
async function drain({ inFlight, limits }: RunningServer): Promise<void> {
  if (inFlight.running > 0) await withTimeout(inFlight.idle(), limits.callTimeoutMs).catch(() => undefined)
}

interface NotifyingParts {
  readonly changes: Changes
  readonly enabledSharing: EnabledSharing
}

export function isServer(value: object): value is McpServer {
  return value instanceof RunningServer
}

/** Returns the internal view of a server, for transports. Every {@link McpServer} is a {@link RunningServer}. */
export function runningServer(server: McpServer): RunningServer {
  return server as RunningServer
}

function createCallerLimiter(
  { rateLimit, rateLimiter: limiter, limits, log }: ResolvedOptions,
  counter: Counter,
): CallLimiter | null {
  const { maxInFlightPerCaller: maxConcurrent } = limits
  if (rateLimit === null && maxConcurrent === Infinity) return null
  const perCaller = { ratePerCaller: true, concurrentPerCaller: true }
  return new CallLimiter({ what: 'Requests', limiter, rateLimit, maxConcurrent, ...perCaller, counter, log })
}

function notifyCatalogChanges(catalog: Catalog, { changes, enabledSharing }: NotifyingParts): void {
  const notify = <Definition extends CatalogEntry>(
    kind: 'tools' | 'prompts' | 'resources',
    registry: FeatureRegistry<Definition>,
  ): void =>
    registry.onChange((change) => {
      const { definition } = change
      const isDecided = change.kind === 'enabled' || change.kind === 'disabled'
      // No list contains a disabled feature, so no list changes when it is added or removed.
      if (!isDecided && !registry.isEnabled(definition)) return
      const notified = isDecided ? enabledSharing.notified : 'all'
      if (notified === 'none') return
      const node = notified === 'own' ? catalog.node : undefined
      changes.listChanged(kind, definition.rule?.audience ?? null, definition.transports, node)
    })
  notify('tools', catalog.tools)
  notify('prompts', catalog.prompts)
  notify('resources', catalog.resources)
  notify('resources', catalog.resourceTemplates)
}
