import type { Logger } from 'pino'
import type { Catalog } from '../catalog/catalog.js'
import type { PromptResult } from '../content.js'
import type { Changes } from '../context/changes.js'
import type { CompletionResult } from '../decorators/mcp-completion.js'
import type { RequestsInFlight } from '../limits/in-flight.js'
import type { Limits } from '../limits/limits.js'
import type { Gauges } from '../metrics/gauges.js'
import type { ServerIdentity } from '../protocol/dependencies.js'
import type { InProcessOptions } from '../protocol/in-process/in-process.js'
import type {
  CallToolResult,
  CompleteParams,
  ListedPrompt,
  ListedResource,
  ListedResourceTemplate,
  ListedTool,
  ReadResourceResult,
} from '../protocol/in-process/results.js'
import type { ServerMetrics } from './metrics.js'
import type { AuthorizationMatrix, CatalogReport, MatrixOptions } from './reports.js'

/** A running MCP server. Connect the server to clients with a transport. */
export interface McpServer {
  /** The served features. Features can be added and removed at any time. */
  readonly catalog: Catalog
  /** Notifies clients of changes outside of the catalog. */
  readonly changes: Changes
  /** Metrics of the server, for monitoring systems. The application can add metrics. */
  readonly gauges: Gauges
  /** The identity that clients receive: name, version and other details. */
  readonly identity: ServerIdentity
  /** The protocol revisions that the server offers, newest first. */
  readonly revisions: readonly string[]
  /** The limits of the server, with defaults. */
  readonly limits: Limits
  /** The log: the option `logger`, else the log of the host application, else stderr. */
  readonly log: Logger
  /** The requests that are being served, over all transports. */
  readonly inFlight: RequestsInFlight
  /** Whether a class or `authorization` lets unauthenticated callers use a feature over the network. */
  readonly allowsAnonymous: boolean

  /** Returns the current metrics, with their limits. */
  metrics(): ServerMetrics

  /**
   * Calls a tool within the process. Access rules, validation, hooks and the limits of the tool apply as for a client of the
   * newest revision. The limits of the server do not apply. The arguments are copied, as JSON.
   *
   * @returns The result of the tool. If the tool fails, or its arguments are invalid, the result has `isError: true`.
   * @throws ProtocolError for an invalid call, or the reason of `options.signal` when the signal aborts.
   */
  callTool(name: string, args?: object, options?: InProcessOptions): Promise<CallToolResult>

  /**
   * Lists all tools that the caller is allowed to see. Functions such as `toOpenAiTools` convert the tools to the formats of
   * vendors.
   */
  listTools(options?: InProcessOptions): Promise<ListedTool[]>

  /** Reads a resource within the process, as {@link callTool} does. @throws The same errors as {@link callTool}. */
  readResource(uri: string, options?: InProcessOptions): Promise<ReadResourceResult>

  listResources(options?: InProcessOptions): Promise<ListedResource[]>

  /** Lists all resource templates that the caller is allowed to see. */
  listResourceTemplates(options?: InProcessOptions): Promise<ListedResourceTemplate[]>

  /** Gets a prompt within the process, as {@link callTool} does. @throws The same errors as {@link callTool}. */
  getPrompt(name: string, args?: object, options?: InProcessOptions): Promise<PromptResult>

  /** Lists all prompts that the caller is allowed to see. */
  listPrompts(options?: InProcessOptions): Promise<ListedPrompt[]>

  /** Completes an argument of a prompt or a variable of a template. @throws The same errors as {@link callTool}. */
  complete(params: CompleteParams, options?: InProcessOptions): Promise<CompletionResult>

  /**
   * Returns a report of the served features, the classes that are not served, and the reasons. `String(report)` formats it as
   * tables.
   */
  explain(): CatalogReport

  /**
   * Returns the access to each feature for an anonymous caller and for callers with at most one role. Each role is combined with
   * no scope, with one scope and with all scopes. `String(matrix)` formats the matrix as a table.
   */
  authorizationMatrix(options?: MatrixOptions): AuthorizationMatrix

  /**
   * Waits for requests in flight, at most for `limits.callTimeoutMs`. Then cancels tasks, ends sessions, disposes the controllers
   * of the server, and awaits the option `onClose`. Repeated calls return the same promise.
   */
  close(): Promise<void>
}
