import type { Logger } from 'pino'
import type { Catalog } from '../catalog/catalog.js'
import type { PromptResult } from '../content.js'
import type { Changes } from '../context/changes.js'
import type { CompletionResult } from '../decorators/mcp-completion.js'
import type { RequestsInFlight } from '../limits/in-flight.js'
import type { Limits } from '../limits/limits.js'
import type { Gauges } from '../metrics/gauges.js'
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
import type { AssembledParts } from './assemble-parts.js'
import type { McpServer } from './mcp-server.js'
import { readMetrics, type ServerMetrics } from './metrics.js'
import type { AuthorizationMatrix, CatalogReport, MatrixOptions } from './reports.js'
import { RunningServer } from './running-server.js'

/** The members of a server for applications. Its {@link RunningServer} has the members for transports. */
export class McpServerInstance implements McpServer {
  readonly catalog: Catalog
  readonly changes: Changes
  readonly gauges: Gauges
  readonly identity: ServerIdentity
  readonly revisions: readonly string[]
  readonly limits: Limits
  readonly log: Logger
  readonly inFlight: RequestsInFlight
  readonly running: RunningServer
  readonly #assembled: AssembledParts
  readonly #inProcess: InProcess
  #closed: Promise<void> | undefined

  constructor(assembled: AssembledParts) {
    const running = new RunningServer(assembled)
    this.catalog = running.catalog
    this.changes = assembled.parts.changes
    this.gauges = running.gauges
    this.identity = running.identity
    this.revisions = running.offered.versions
    this.limits = running.limits
    this.log = running.log
    this.inFlight = running.inFlight
    this.running = running
    this.#assembled = assembled
    this.#inProcess = new InProcess(assembled.dependencies, assembled.eras.modern)
  }

  get allowsAnonymous(): boolean {
    return this.running.allowsAnonymous
  }

  metrics(): ServerMetrics {
    return readMetrics(this.#assembled.counted)
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
    const { options, scan, sources } = this.#assembled.parts
    const { modules, leftOut, hints } = scan
    return options.reports.explain(this.catalog, { modules, leftOut, sources: sources.explain(), hints })
  }

  authorizationMatrix(options: MatrixOptions = {}): AuthorizationMatrix {
    return this.#assembled.parts.options.reports.authorizationMatrix(this.catalog, options)
  }

  close(): Promise<void> {
    this.#closed ??= closeServer(this.#assembled)
    return this.#closed
  }
}

async function closeServer({ parts, dependencies, counted, enabledSharing }: AssembledParts): Promise<void> {
  const { container, options, sources } = parts
  const { inFlight, limits } = counted
  // A call can have a longer time limit than others, or none.
  if (inFlight.running > 0) await withTimeout(inFlight.idle(), limits.callTimeoutMs).catch(() => undefined)
  enabledSharing.stop()
  try {
    await dependencies.extensions.close()
  } finally {
    await sources.close()
    try {
      options.rounds.close()
      dependencies.sessions?.close()
      options.closeStores()
      await container.close()
    } finally {
      // `onClose` is called last: until their disposal, instances could use resources that `onClose` closes.
      await options.onClose?.()
    }
  }
}

export function isServer(value: object): value is McpServer {
  return value instanceof McpServerInstance
}

/** Returns the internal view of a server, for transports. */
export function runningServer(server: McpServer): RunningServer {
  return (server as McpServerInstance).running
}
