import type { Logger } from 'pino'
import type { Catalog } from './catalog/catalog.js'
import type { ScannedModule } from './catalog/scan-modules.js'
import type { AppContainer } from './container/app-container.js'
import { Changes, InProcessChangeBus } from './context/changes.js'
import { type CatalogReport, explainCatalog } from './explain.js'
import { type Figures, readFigures } from './figures.js'
import { Gate } from './limits/gate.js'
import { InFlight } from './limits/in-flight.js'
import type { Limits, ResolvedOptions } from './options.js'
import type { Plans } from './plan/plans.js'
import type { Answer, Exchange } from './protocol/exchange.js'
import type { EventStore } from './protocol/legacy/event-store.js'
import { createLegacyEra } from './protocol/legacy/legacy-era.js'
import { MemoryEventStore } from './protocol/legacy/memory-event-store.js'
import { SessionStore } from './protocol/legacy/session-store.js'
import { OpenSubscriptions } from './protocol/modern/listen.js'
import { createModernEra } from './protocol/modern/modern-era.js'
import { receive } from './protocol/receive.js'
import type { Eras } from './protocol/receive-message.js'
import type { Served, ServerIdentity } from './protocol/served.js'
import { Tasks } from './tasks/tasks.js'

/** The parts that boot made. */
export interface ServerParts {
  readonly options: ResolvedOptions
  readonly catalog: Catalog
  readonly plans: Plans
  readonly container: AppContainer
  readonly scanned: readonly ScannedModule[]
}

/** A running MCP server without a transport: transports hand it exchanges and send back its answers. */
export class McpServer {
  /** What is served. Tools can be added to it and removed from it at any time. */
  readonly catalog: Catalog
  /** Tells clients of what changed, where the catalog cannot know it. */
  readonly changes: Changes
  readonly identity: ServerIdentity
  readonly limits: Limits
  readonly log: Logger
  /** Legacy HTTP sessions. */
  readonly sessions: SessionStore
  /** Requests that are being served, over every transport. */
  readonly inFlight: InFlight
  readonly #eras: Eras
  readonly #events: EventStore
  readonly #subscriptions = new OpenSubscriptions()
  readonly #parts: ServerParts
  readonly #tasks: Tasks

  constructor(parts: ServerParts) {
    const { options, catalog, plans } = parts
    const changeBus = new InProcessChangeBus()
    const { maxResultBytes, maxSubscriptions, askTimeoutMs } = options.limits
    this.changes = new Changes(changeBus)
    tellOfCatalog(catalog, this.changes)
    const { changes } = this
    const { taskStore: store, taskBus: bus } = options
    const tasks = new Tasks({ store, bus, ttlMs: options.limits.taskTtlMs })
    this.#tasks = tasks
    const bounds = { maxResultBytes, maxSubscriptions, askTimeoutMs }
    const subscriptions = this.#subscriptions
    const served: Served = { ...options, ...bounds, subscriptions, catalog, plans, changes, changeBus, tasks }
    this.#parts = parts
    this.catalog = catalog
    this.identity = options.identity
    this.limits = options.limits
    this.log = options.log
    this.inFlight = new InFlight(options.limits.maxInFlight, options.log)
    const { limits, log, eventStore = new MemoryEventStore(limits) } = options
    this.#events = eventStore
    this.sessions = new SessionStore({ limits, events: eventStore, log })
    this.#eras = {
      legacy: createLegacyEra(served),
      modern: createModernEra(served),
      maxBatch: options.limits.maxBatch,
      maxResultBytes,
      callers: createCallerGate(options),
      onUnexpected: (error) => this.log.error({ err: error }, 'a request failed unexpectedly'),
    }
  }

  /** Serves one message of either era. Neither throws nor rejects; what can be answered at once is. */
  receive(exchange: Exchange): Answer | Promise<Answer> {
    return receive(exchange, this.#eras)
  }

  /** How far the server is from its limits now. */
  figures(): Figures {
    const { inFlight } = this
    const storedEventBytes = this.#events instanceof MemoryEventStore ? this.#events.size.bytes : null
    const [sessions, subscriptions, runningTasks] = [this.sessions.size, this.#subscriptions.count, this.#tasks.running]
    return readFigures({ inFlight, sessions, subscriptions, runningTasks, storedEventBytes }, this.limits)
  }

  /** What is served and what is not, and why. Prints as a table. */
  explain(): CatalogReport {
    return explainCatalog(this.catalog, this.#parts.scanned)
  }

  /**
   * Cancels tasks, ends the sessions, and disposes the controllers that live as long as the server. Call it when no call
   * is in flight.
   */
  async close(): Promise<void> {
    await this.#tasks.close()
    this.sessions.close()
    await this.#parts.container.close()
  }
}

function createCallerGate({ rateLimit, rateLimiter: limiter, limits, log }: ResolvedOptions): Gate | null {
  const { maxInFlightPerCaller: maxConcurrent } = limits
  if (rateLimit === null && maxConcurrent === Infinity) return null
  const perCaller = { ratePerCaller: true, concurrentPerCaller: true }
  return new Gate({ what: 'Requests', limiter, rateLimit, maxConcurrent, ...perCaller, log })
}

function tellOfCatalog({ tools, prompts, resources, resourceTemplates }: Catalog, changes: Changes): void {
  tools.onChange(() => changes.toolsChanged())
  prompts.onChange(() => changes.promptsChanged())
  for (const shelf of [resources, resourceTemplates]) shelf.onChange(() => changes.resourcesChanged())
}
