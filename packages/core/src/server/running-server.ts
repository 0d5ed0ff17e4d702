import { enablingOf } from '../catalog/catalog.js'
import type { PromptResult } from '../content.js'
import type { Changes } from '../context/changes.js'
import type { CompletionResult } from '../decorators/mcp-completion.js'
import { Gauges } from '../metrics/gauges.js'
import type { ServerIdentity } from '../protocol/dependencies.js'
import { InProcess, type InProcessOptions } from '../protocol/in-process/in-process.js'
import type {
  CallToolResult,
  CompleteParams,
  ListedPrompt,
  ListedResource,
  ListedResourceTemplate,
  ListedTool,
  ReadResourceResult,
} from '../protocol/in-process/results.js'
import { withTimeout } from '../timing/with-timeout.js'
import { EnabledSharing } from './enabled-sharing.js'
import { Engine, type ServerParts, type Wiring, wire } from './engine.js'
import type { McpServer } from './mcp-server.js'
import { publishMetrics, readMetrics, type ServerMetrics } from './metrics.js'
import { notifyCatalogChanges } from './notify-catalog-changes.js'
import type { AuthorizationMatrix, CatalogReport, MatrixOptions } from './reports.js'

/** A server with the members that transports need, which {@link Engine} has, and with the members that applications need. */
export class RunningServer extends Engine implements McpServer {
  readonly changes: Changes
  readonly gauges = new Gauges()
  readonly identity: ServerIdentity
  readonly #parts: ServerParts
  readonly #wiring: Wiring
  readonly #inProcess: InProcess
  readonly #enabledSharing: EnabledSharing
  #closed: Promise<void> | undefined

  constructor(parts: ServerParts) {
    const wiring = wire(parts)
    super(parts, wiring)
    const { options, catalog, changes } = parts
    this.#parts = parts
    this.#wiring = wiring
    this.changes = changes
    this.identity = options.identity
    this.#inProcess = new InProcess(wiring.dependencies, wiring.eras.modern)
    this.#enabledSharing = new EnabledSharing(enablingOf(catalog), options.changeBus, options.log)
    publishMetrics(this.gauges, this.#wiring.counted)
  }

  get revisions(): readonly string[] {
    return this.offered.versions
  }

  /** Starts to notify clients and other nodes of changes of the catalog. */
  notifyCatalogChanges(): void {
    notifyCatalogChanges(this.catalog, this.changes, this.#enabledSharing)
    this.#enabledSharing.start()
  }

  metrics(): ServerMetrics {
    return readMetrics(this.#wiring.counted)
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

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const { container, options, sources } = this.#parts
    await drain(this)
    this.#enabledSharing.stop()
    try {
      await this.#wiring.dependencies.extensions.close()
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

export function isServer(value: object): value is McpServer {
  return value instanceof RunningServer
}

/** Returns the internal view of a server, for transports. Every {@link McpServer} is a {@link RunningServer}. */
export function runningServer(server: McpServer): RunningServer {
  return server as RunningServer
}
