import type { Logger } from 'pino'
import type { Catalog } from './catalog/catalog.js'
import type { ScanResult } from './catalog/scan-modules.js'
import type { AppContainer } from './container/app-container.js'
import { Changes } from './context/changes.js'
import { type CatalogReport, explainCatalog } from './explain.js'
import { Gauges } from './gauges.js'
import type { Limits, ResolvedOptions } from './options.js'
import type { Plans } from './plan/plans.js'
import type { Answer, Exchange } from './protocol/exchange.js'
import { createLegacyEra } from './protocol/legacy/legacy-era.js'
import { MemoryEventStore } from './protocol/legacy/memory-event-store.js'
import { Sessions } from './protocol/legacy/sessions.js'
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
  readonly scan: ScanResult
}

/** A running MCP server without a transport: transports hand it exchanges and send back its answers. */
export class McpServer {
  /** What is served. Tools can be added to it and removed from it at any time. */
  readonly catalog: Catalog
  /** Tells clients of what changed, where the catalog cannot know it. */
  readonly changes: Changes
  /** Figures about the server, for whatever publishes metrics. Parts of the application can add theirs. */
  readonly gauges = new Gauges()
  readonly identity: ServerIdentity
  readonly limits: Limits
  readonly log: Logger
  /** Legacy HTTP sessions. */
  readonly sessions: Sessions
  readonly #eras: Eras
  readonly #parts: ServerParts
  readonly #tasks: Tasks

  constructor(parts: ServerParts) {
    const { options, catalog, plans } = parts
    const { changeBus } = options
    const { maxResultBytes, maxSubscriptions, maxSubscriptionsPerPrincipal, askTimeoutMs } = options.limits
    this.changes = new Changes(changeBus)
    tellOfCatalog(catalog, this.changes)
    const { changes } = this
    const tasks = new Tasks({ store: options.taskStore, bus: options.taskBus, ttlMs: options.limits.taskTtlMs })
    this.#tasks = tasks
    const bounds = { maxResultBytes, maxSubscriptions, maxSubscriptionsPerPrincipal, askTimeoutMs }
    const { gauges } = this
    const served: Served = { ...options, ...bounds, catalog, plans, changes, tasks, gauges }
    this.#parts = parts
    this.catalog = catalog
    this.identity = options.identity
    this.limits = options.limits
    this.log = options.log
    const { limits, log, sessionStore, eventStore = new MemoryEventStore(limits) } = options
    this.sessions = new Sessions({ limits, store: sessionStore, events: eventStore, changeBus, log })
    addGauges(this, tasks)
    this.#eras = {
      legacy: createLegacyEra(served),
      modern: createModernEra(served),
      maxBatch: options.limits.maxBatch,
      maxResultBytes,
    }
  }

  /** Serves one message of either era. Neither throws nor rejects; what can be answered at once is. */
  receive(exchange: Exchange): Answer | Promise<Answer> {
    return receive(exchange, this.#eras)
  }

  /** What is served and what is not, and why. Prints as a table. */
  explain(): CatalogReport {
    return explainCatalog(this.catalog, this.#parts.scan)
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

function addGauges({ gauges, sessions }: McpServer, tasks: Tasks): void {
  gauges.add({ name: 'sessions_open', help: 'Sessions that are open', read: () => sessions.size })
  gauges.add({ name: 'tasks_running', help: 'Tasks whose handler runs in this process', read: () => tasks.running })
}

function tellOfCatalog({ tools, prompts, resources, resourceTemplates }: Catalog, changes: Changes): void {
  tools.onChange(() => changes.toolsChanged())
  prompts.onChange(() => changes.promptsChanged())
  for (const shelf of [resources, resourceTemplates]) shelf.onChange(() => changes.resourcesChanged())
}
