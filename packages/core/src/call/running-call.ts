import type { Cancellation } from '../context/cancellation.js'
import type { McpContext } from '../context/mcp-context.js'

/** One request for a feature: what its handler and its policies see, and whether it is still wanted. */
export interface RunningCall {
  readonly context: McpContext
  readonly cancellation: Cancellation
  /** Sends the text of unexpected errors to the client: for development. */
  readonly exposeErrors: boolean
  /** Is told when the handler is about to run. */
  readonly exchange: { started(): void }
}
