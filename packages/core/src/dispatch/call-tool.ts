import { CallCancelled, CallTimeout, type Cancellation } from '../context/cancellation.js'
import type { McpContext } from '../context/mcp-context.js'
import { ProtocolError, shorten } from '../errors/protocol-error.js'
import { ToolError } from '../errors/tool-error.js'
import type { ToolPlan } from '../plan/tool-plan.js'
import { errorResult, type ToolResult } from '../plan/tool-result.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { describeFaults } from '../schema/describe-faults.js'
import { reportFailure } from './report-failure.js'
import { suggestNames } from './suggest-names.js'

/** Arguments that do not fit the input schema. Revisions differ in how the client hears of it. */
export class InvalidArguments extends Error {
  override readonly name = 'InvalidArguments'
}

export interface ToolCall {
  readonly params: JsonObject
  readonly context: McpContext
  readonly cancellation: Cancellation
  /** Sends the text of unexpected errors to the client: for development. */
  readonly exposeErrors: boolean
}

/**
 * Runs one `tools/call`. Every decision that could be made earlier is in the plan.
 *
 * @throws ProtocolError for an unknown tool or a malformed request, InvalidArguments, CallCancelled. Whatever the tool
 * itself does wrong comes back as a result.
 */
export async function callTool(plan: ToolPlan, args: unknown, call: ToolCall): Promise<ToolResult> {
  const complete = plan.applyDefaults === null ? args : plan.applyDefaults(args)
  if (!plan.input.check(complete)) {
    const faults = describeFaults(plan.input.faults(complete), complete, 'the arguments')
    throw new InvalidArguments(`Invalid arguments for tool '${plan.name}': ${faults}.`)
  }
  try {
    const returned = plan.handler(complete, call.context)
    const value = isPromiseLike(returned) ? await call.cancellation.race(returned, plan.timeoutMs) : returned
    return plan.encode(value)
  } catch (error) {
    return toResult(error, plan, call)
  }
}

/** @throws ProtocolError when there is no such tool, or the request is no tool call at all. */
export function findTool(tools: ReadonlyMap<string, ToolPlan>, { name }: JsonObject): ToolPlan {
  if (typeof name !== 'string') throw new ProtocolError('invalidParams', 'Invalid params: "name" must be a string')
  const plan = tools.get(name)
  if (plan !== undefined) return plan
  const suggestions = suggestNames(name, tools.keys())
  const data = suggestions.length > 0 ? { suggestions } : undefined
  throw new ProtocolError('invalidParams', `Unknown tool: ${shorten(name)}`, data)
}

/** A new object each time where none came: defaults are filled in in place. */
export function readArguments({ arguments: args = {} }: JsonObject): JsonObject {
  if (isJsonObject(args)) return args
  throw new ProtocolError('invalidParams', 'Invalid params: "arguments" must be an object')
}

function toResult(error: unknown, { name, timeoutMs }: ToolPlan, call: ToolCall): ToolResult {
  if (error instanceof ToolError) return errorResult(error.message)
  if (error instanceof ProtocolError) throw error
  const { reason } = call.cancellation
  if (reason instanceof CallCancelled) throw reason
  // The handler may have noticed the abort before the timer's own rejection arrived.
  if (reason instanceof CallTimeout) {
    call.context.log.warn({ tool: name, timeoutMs }, 'a tool call timed out')
    return errorResult(`Tool '${name}' did not finish within ${timeoutMs / 1000} seconds and was stopped.`)
  }
  return errorResult(reportFailure(error, `Tool '${name}'`, call))
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Partial<PromiseLike<unknown>>).then === 'function'
  )
}
