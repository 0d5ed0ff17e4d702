import type { Logger } from 'pino'
import type { Catalog } from '../catalog/catalog.js'
import type { PromptResult } from '../content.js'
import type { Changes } from '../context/changes.js'
import type { CompletionResult } from '../decorators/mcp-completion.js'
import type { ListedTool } from '../formats/listed-tool.js'
import type { RequestsInFlight } from '../limits/in-flight.js'
import type { Limits } from '../limits/limits.js'
import type { Gauges } from '../metrics/gauges.js'
import type { ServerIdentity } from '../protocol/dependencies.js'
import type { InProcessOptions } from '../protocol/in-process.js'
import type {
  CallToolResult,
  CompleteParams,
  ListedPrompt,
  ListedResource,
  ListedResourceTemplate,
  ReadResourceResult,
} from '../protocol/results.js'
import type { AuthorizationMatrix, MatrixOptions } from './authorization-matrix.js'
import type { CatalogReport } from './explain.js'
import type { ServerMetrics } from './metrics.js'

/** A running MCP server without a transport, as its users know it. Transports need more of it, which is their matter. */
export interface McpServer {
  /** What is served. Tools can be added to it and removed from it at any time. */
  readonly catalog: Catalog
  /** Tells clients of changes that the catalog cannot know of. */
  readonly changes: Changes
  /** Figures about the server, for whatever publishes metrics. Parts of the application can add theirs. */
  readonly gauges: Gauges
  /** How the server introduces itself to clients: its name, its version and the rest. */
  readonly identity: ServerIdentity
  /** The limits that apply, with every default filled in. */
  readonly limits: Limits
  /** Where it logs: the option `logger`, else the log of the application around it, else stderr. */
  readonly log: Logger
  /** Counts the requests that are being served, over every transport. */
  readonly inFlight: RequestsInFlight
  /** Whether callers who are not authenticated may use anything, because a class or `authorization` says so. */
  readonly allowsAnonymous: boolean

  /** How far the server is from its limits now. */
  metrics(): ServerMetrics

  /**
   * Calls a tool from within the process. Rules, checks, hooks and the tool's own limits apply as for a client of the
   * newest revision; the limits of the server, which are for clients, do not. The arguments are copied, as JSON.
   *
   * @throws ProtocolError for a call that is wrong itself; the reason of `options.signal` when that aborts. When the tool
   * fails, or its arguments do not fit, that is a result with `isError`.
   */
  callTool(name: string, args?: object, options?: InProcessOptions): Promise<CallToolResult>

  /** All tools that the caller may see. `toOpenAiTools` and others turn them into what vendors take. */
  listTools(options?: InProcessOptions): Promise<ListedTool[]>

  /** Reads a resource, as {@link callTool} calls a tool. @throws As that does. */
  readResource(uri: string, options?: InProcessOptions): Promise<ReadResourceResult>

  /** All resources with a fixed URI that the caller may see. */
  listResources(options?: InProcessOptions): Promise<ListedResource[]>

  /** All resource templates that the caller may see. */
  listResourceTemplates(options?: InProcessOptions): Promise<ListedResourceTemplate[]>

  /** Gets a prompt, as {@link callTool} calls a tool. @throws As that does. */
  getPrompt(name: string, args?: object, options?: InProcessOptions): Promise<PromptResult>

  /** All prompts that the caller may see. */
  listPrompts(options?: InProcessOptions): Promise<ListedPrompt[]>

  /** Completes an argument of a prompt or a variable of a template. @throws As {@link callTool}. */
  complete(params: CompleteParams, options?: InProcessOptions): Promise<CompletionResult>

  /** What is served and what is not, and why. Prints as a table. */
  explain(): CatalogReport

  /**
   * Who may use what: each feature for callers without any of these roles and scopes, with one and with all of them.
   * Prints as a table.
   */
  authorizationMatrix(options?: MatrixOptions): AuthorizationMatrix

  /**
   * Cancels tasks, ends the sessions, disposes the controllers that live as long as the server, and awaits the option
   * `onClose`. Call it when no call is in flight; once more, it does nothing.
   */
  close(): Promise<void>
}
