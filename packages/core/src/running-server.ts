import type { Logger } from 'pino'
import type { Guarded } from './authorization/access-rule.js'
import { ScopeGrants } from './authorization/scope-grants.js'
import { type AuthorizationMatrix, buildAuthorizationMatrix, type MatrixOptions } from './authorization-matrix.js'
import type { Catalog } from './catalog/catalog.js'
import type { ScanResult } from './catalog/scan/scan-modules.js'
import type { AppContainer } from './container/app-container.js'
import type { PromptResult } from './content.js'
import type { Audience } from './context/audience.js'
import { type Changes, decideAudience } from './context/changes.js'
import type { CompletionResult } from './decorators/mcp-completion.js'
import { type CatalogReport, explainCatalog } from './explain.js'
import { type CallerTally, type CountedParts, type Figures, publishFigures, readFigures } from './figures.js'
import type { ListedTool } from './formats/listed-tool.js'
import { Gauges } from './gauges.js'
import type { RefusalObservers } from './hooks/refusal-observers.js'
import { forgetLatestCall } from './keep-fast.js'
import { Gate } from './limits/gate.js'
import { InFlight } from './limits/in-flight.js'
import type { Limits } from './limits/limits.js'
import { SubscriptionRoom } from './limits/subscription-room.js'
import { OversizedMessages, type Tally } from './limits/tally.js'
import type { McpServer } from './mcp-server.js'
import type { Plans } from './plan/plans.js'
import { readersOf } from './protocol/audible-changes.js'
import { receiveBatch } from './protocol/batch.js'
import type { Answer, Exchange } from './protocol/exchange.js'
import { InProcess, type InProcessOptions } from './protocol/in-process.js'
import { createLegacyEra } from './protocol/legacy/legacy-era.js'
import { Sessions } from './protocol/legacy/sessions.js'
import { createModernEra } from './protocol/modern/modern-era.js'
import { OpenSubscriptions } from './protocol/modern/open-subscriptions.js'
import type { QuestionTally } from './protocol/pending-questions.js'
import { type Eras, receiveMessage } from './protocol/receive-message.js'
import type {
  CallToolResult,
  CompleteParams,
  ListedPrompt,
  ListedResource,
  ListedResourceTemplate,
  ReadResourceResult,
} from './protocol/results.js'
import type { Served, ServerIdentity } from './protocol/served.js'
import type { ResolvedOptions } from './resolve-options.js'
import { Tasks } from './tasks/tasks.js'

/** The parts that boot made. */
export interface ServerParts {
  readonly options: ResolvedOptions
  readonly catalog: Catalog
  readonly changes: Changes
  readonly plans: Plans
  readonly container: AppContainer
  readonly scan: ScanResult
  readonly refusals: RefusalObservers
  /** Those that limits of their tools or callers refused. */
  readonly limitedRequests: Tally
  readonly oversizedResults: Tally
}

/** The server with all that transports need of it: they hand it exchanges, send back its answers, and count. */
export class RunningServer implements McpServer {
  readonly catalog: Catalog
  readonly changes: Changes
  readonly gauges = new Gauges()
  readonly identity: ServerIdentity
  readonly limits: Limits
  readonly log: Logger
  readonly inFlight: InFlight
  readonly subscriptionRoom: SubscriptionRoom
  /** Legacy HTTP sessions. */
  readonly sessions: Sessions
  /** Streams and connections that transports cut because too much waited for their clients. */
  readonly cutStreams: Tally = { count: 0 }
  readonly oversizedMessages = new OversizedMessages()
  /** For authenticators, which ask for scopes as rules do. */
  readonly scopeGrants: ScopeGrants
  /** Whether features look missing to callers who may not use them. */
  readonly hidesForbidden: boolean
  /** Requests that transports refused because of who sent them. */
  readonly refusedCallers: CallerTally = { unknown: 0, refused: 0, unchecked: 0, forbidden: 0 }
  readonly #parts: ServerParts
  readonly #counted: CountedParts
  readonly #eras: Eras
  readonly #inProcess: InProcess
  readonly #tasks: Tasks
  #closed: Promise<void> | undefined

  constructor(parts: ServerParts) {
    const { options, catalog, changes, plans, refusals, limitedRequests, oversizedResults } = parts
    const {
      limits,
      log,
      changeBus,
      notifyChanges,
      sessionStore: store,
      eventStore: events,
      storeGuards: guards,
    } = options
    const { maxBatch, maxResultBytes, askTimeoutMs } = limits
    const { oversizedMessages, cutStreams, refusedCallers } = this
    this.catalog = catalog
    this.changes = changes
    this.identity = options.identity
    this.limits = limits
    this.scopeGrants = new ScopeGrants(options.authorization?.impliedScopes ?? {})
    this.hidesForbidden = options.authorization?.hideForbidden ?? false
    this.log = log
    this.#parts = parts
    decideAudience(changes, (uri) => readersOf(uri, { catalog, plans }))
    this.inFlight = new InFlight(limits.maxInFlight, log)
    this.subscriptionRoom = new SubscriptionRoom(limits.maxSubscribedBytes)
    const { subscriptionRoom } = this
    const told = { catalog, plans, changeBus, notifyChanges }
    this.sessions = new Sessions({ ...told, limits, store, events, guards, subscriptionRoom, log })
    const tasks = new Tasks({ store: options.taskStore, bus: options.taskBus, ttlMs: limits.taskTtlMs, log })
    this.#tasks = tasks
    const subscriptions = new OpenSubscriptions(limits)
    const questions: QuestionTally = { pending: 0, refused: 0 }
    const bounds = { jsonBounds: limits, maxResultBytes, askTimeoutMs, oversizedResults, questions }
    const served: Served = { ...options, ...bounds, subscriptions, catalog, plans, changes, tasks }
    const modern = createModernEra(served)
    this.#inProcess = new InProcess(served, modern)
    const callers = createCallerGate(options, limitedRequests)
    const tallies = { oversizedResults, oversizedMessages }
    this.#eras = { legacy: createLegacyEra(served), modern, maxBatch, maxResultBytes, ...tallies, callers }
    const counts = { ...tallies, questions, limitedRequests, refusals, refusedCallers, cutStreams }
    const { inFlight, sessions } = this
    this.#counted = { ...options, ...counts, inFlight, sessions, subscriptions, subscriptionRoom, tasks }
    publishFigures(this.gauges, () => this.figures())
  }

  /** Tells clients of changes of the catalog from now on: before, there were none, or they are those of other nodes. */
  tellOfCatalog(): void {
    tellOfCatalog(this.catalog, this.changes)
  }

  /**
   * Serves whatever came in: one message of either era, or a batch. Throws and rejects with nothing but faults of its own;
   * what can be answered at once is.
   */
  receive(exchange: Exchange): Answer | Promise<Answer> {
    const { message } = exchange
    return Array.isArray(message) ? receiveBatch(message, exchange, this.#eras) : receiveMessage(exchange, this.#eras)
  }

  /** A transport authenticates callers. */
  expectKnownCallers(): void {
    this.#tasks.expectKnownCallers()
  }

  figures(): Figures {
    return readFigures(this.#counted)
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
    return explainCatalog(this.catalog, this.#parts.scan)
  }

  authorizationMatrix(options: MatrixOptions = {}): AuthorizationMatrix {
    return buildAuthorizationMatrix(this.catalog, options)
  }

  get allowsAnonymous(): boolean {
    return this.catalog.isOpen
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const { container, options } = this.#parts
    try {
      await this.#tasks.close()
      this.sessions.close()
      await container.close()
    } finally {
      forgetLatestCall()
      // Last: what is disposed may need it.
      await options.onClose?.()
    }
  }
}

/** Whether it is a server, and not what one is to be made of. */
export function isServer(served: object): served is McpServer {
  return served instanceof RunningServer
}

/** The door for transports. There is no other kind of server: users get theirs from `createServer`, or from a host. */
export function runningServer(server: McpServer): RunningServer {
  return server as RunningServer
}

function createCallerGate(
  { rateLimit, rateLimiter: limiter, limits, log }: ResolvedOptions,
  tally: Tally,
): Gate | null {
  const { maxInFlightPerCaller: maxConcurrent } = limits
  if (rateLimit === null && maxConcurrent === Infinity) return null
  const perCaller = { ratePerCaller: true, concurrentPerCaller: true }
  return new Gate({ what: 'Requests', limiter, rateLimit, maxConcurrent, ...perCaller, tally, log })
}

function tellOfCatalog({ tools, prompts, resources, resourceTemplates }: Catalog, changes: Changes): void {
  tools.onChange(({ definition }) => changes.listChanged('tools', audienceOf(definition)))
  prompts.onChange(({ definition }) => changes.listChanged('prompts', audienceOf(definition)))
  resources.onChange(({ definition }) => changes.listChanged('resources', audienceOf(definition)))
  resourceTemplates.onChange(({ definition }) => changes.listChanged('resources', audienceOf(definition)))
}

function audienceOf({ rule }: Guarded): Audience | null {
  return rule?.audience ?? null
}
