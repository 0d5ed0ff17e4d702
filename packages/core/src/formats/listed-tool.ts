import type { Icon, ToolAnnotations } from '../metadata/types.js'
import type { JsonObject } from '../rpc/messages.js'

/** A tool as the newest revision lists it. Tools from `tools/list` of any server have this type as well. */
export interface ListedTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject | undefined
  readonly annotations?: ToolAnnotations | undefined
  readonly icons?: readonly Icon[] | undefined
  readonly _meta?: JsonObject | undefined
}
