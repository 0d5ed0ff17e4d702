import type { ToolPlan } from '../../plan/tool-plan.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { Call } from '../era.js'
import type { Revision } from '../revisions.js'
import type { Served } from '../served.js'

/** Completes a result's members (JSON text without the braces) with what the era wants in every result. */
export type CompleteResult = (members: string, meta: JsonObject | null) => string

/** Runs a tool's handler: the JSON text of the result. */
export type ServeTool = (call: Call) => string | Promise<string>

/** Serves the call of a tool that can be a task. */
export type CallAsTask = (plan: ToolPlan, call: Call, serve: ServeTool) => string | Promise<string>

/** What the methods of one revision are made with. */
export interface Wire {
  readonly served: Served
  readonly revision: Revision
  readonly completeResult: CompleteResult
  /** Members that say how long a result may be kept, as JSON text that begins with a comma; empty in legacy. */
  readonly cacheHints: string
  /** The same for what is not for everybody. */
  readonly privateHints: string
  /** `null` in revisions without tasks. */
  readonly callAsTask: CallAsTask | null
}
