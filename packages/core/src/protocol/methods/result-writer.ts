import { refuseOversized } from '../../limits/oversized-result.js'
import type { ToolPlan } from '../../plan/tool-plan.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { ProtocolDependencies } from '../dependencies.js'
import type { Call } from '../era.js'
import type { Revision } from '../revisions.js'

/** Completes a result's members (JSON text without the braces) with what the era wants in every result. */
export type CompleteResult = (members: string, meta: JsonObject | null) => string

/** Runs a tool's handler: the JSON text of the result, unless it is for this process. */
export type ServeTool<Result = string> = (call: Call) => Result | Promise<Result>

/** Serves the call of a tool that can be a task. */
export type CallAsTask<Result = string> = (
  plan: ToolPlan,
  call: Call,
  serve: ServeTool<Result>,
) => Result | Promise<Result>

/** What the methods of one revision are made with. */
export interface ResultWriter {
  readonly dependencies: ProtocolDependencies
  readonly revision: Revision
  readonly completeResult: CompleteResult
  /** Members that say how long a result may be kept, as JSON text that begins with a comma; empty in legacy. */
  readonly cacheHints: string
  /** The same for what is not for everybody. */
  readonly privateHints: string
  /** `null` in revisions without tasks. */
  readonly callAsTask: CallAsTask | null
}

/** For results with nothing around them: those of legacy clients, and of callers in this process. */
export function createPlainWriter(dependencies: ProtocolDependencies, revision: Revision): ResultWriter {
  const completeResult: CompleteResult = (members, meta) =>
    meta === null || !revision.meta ? `{${members}}` : `{${members},"_meta":${JSON.stringify(meta)}}`
  return { dependencies, revision, completeResult, cacheHints: '', privateHints: '', callAsTask: null }
}

/** @param what Names the feature, for messages: `Prompt 'greet'`. @throws ProtocolError -32603 */
export function checkSize(members: string, what: string, dependencies: ProtocolDependencies): string {
  const { maxResultBytes } = dependencies
  if (fits(members, maxResultBytes)) return members
  throw refuseOversized(what, maxResultBytes, dependencies)
}

/** A UTF-16 unit is at most three bytes of UTF-8: most texts need no exact count. */
export function fits(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes
}
