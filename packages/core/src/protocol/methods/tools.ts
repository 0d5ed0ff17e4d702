import { authorizeTool, callTool, type FinishTool, findTool } from '../../call/call-tool.js'
import { readArguments } from '../../call/read-params.js'
import { text } from '../../content.js'
import { InvalidArguments } from '../../errors/call-errors.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { refuseOversized } from '../../limits/oversized-result.js'
import { holdPermit, type ToolPlan } from '../../plan/tool-plan.js'
import { errorResult, type ToolResult } from '../../plan/tool-result.js'
import type { ProtocolDependencies } from '../dependencies.js'
import { encodeTool } from '../encode-definitions.js'
import { encodeToolResult } from '../encode-tool-result.js'
import type { Call, Methods } from '../era.js'
import { latest, type Revision } from '../revisions.js'
import { createListMethod } from './list-method.js'
import { type CallAsTask, fits, type ResultWriter } from './result-writer.js'

/** `tools/list` and `tools/call` of one revision. */
export function createToolMethods(writer: ResultWriter): Methods {
  const { dependencies, revision, completeResult, callAsTask } = writer
  const list = createListMethod(writer, {
    method: 'tools/list',
    member: 'tools',
    registry: dependencies.catalog.tools,
    encode: encodeTool,
  })
  const call = createToolCall(dependencies, callAsTask, (result, plan) =>
    completeResult(encodeWithin(result, plan, revision, dependencies), result.meta),
  )
  return { 'tools/list': list, 'tools/call': call }
}

/** Serves `tools/call`. @param finish Writes a result as its client wants it. */
export function createToolCall<Result>(
  dependencies: ProtocolDependencies,
  callAsTask: CallAsTask<Result> | null,
  finish: FinishTool<Result>,
): (call: Call) => Result | Promise<Result> {
  const { tools } = dependencies.plans
  const serve = (plan: ToolPlan, call: Call): Result | Promise<Result> =>
    plan.limiter === null
      ? run(plan, call, finish)
      : plan.limiter.run(call.exchange.caller, (permit) => run(holdPermit(plan, permit), call, finish))
  const serveOrStartTask = (plan: ToolPlan, call: Call): Result | Promise<Result> => {
    if (plan.task === null) return serve(plan, call)
    if (callAsTask !== null) return callAsTask(plan, call, (own) => serve(plan, own))
    return plan.task === 'optional' ? serve(plan, call) : finish(onlyAsTask(plan), plan)
  }
  return (call) => {
    const { params } = call.request
    const plan = findTool(tools, params, call)
    const { guard } = plan
    if (guard === null || guard.policies === null) return serveOrStartTask(plan, call)
    return authorizeTool(tools, plan, readArguments(params), call).then(() => serveOrStartTask(plan, call))
  }
}

function onlyAsTask({ name }: ToolPlan): ToolResult {
  return errorResult(`Tool '${name}' runs as a task only, which the protocol version of this client does not have.`)
}

function run<Result>(plan: ToolPlan, call: Call, finish: FinishTool<Result>): Result | Promise<Result> {
  try {
    return callTool(plan, readArguments(call.request.params), call, finish)
  } catch (error) {
    if (!(error instanceof InvalidArguments)) throw error
    if (call.revision.invalidArguments === 'result') return finish(errorResult(error.message), plan)
    throw new ProtocolError('invalidParams', 'Invalid params', { detail: error.message })
  }
}

function encodeWithin(
  result: ToolResult,
  plan: ToolPlan,
  revision: Revision,
  dependencies: ProtocolDependencies,
): string {
  const members = encodeFor(result, plan, revision, dependencies)
  return fits(members, maxBytesOf(plan, dependencies))
    ? members
    : encodeFor(tooLarge(plan, dependencies), plan, revision, dependencies)
}

/** Older clients refuse an error, too, whose structured content does not fit the output schema: nobody reads its text. */
function encodeFor(
  result: ToolResult,
  { output }: ToolPlan,
  revision: Revision,
  dependencies: ProtocolDependencies,
): string {
  const { isError, structured } = result
  const { alwaysStructuredContent } = dependencies
  if (!isError || output === null) return encodeToolResult(result, revision, alwaysStructuredContent)
  const isRefused = revision.era === 'legacy' && structured !== null && !output.check(JSON.parse(structured))
  return encodeToolResult(
    isRefused ? withoutStructured(result, structured) : result,
    revision,
    false,
    alwaysStructuredContent,
  )
}

function withoutStructured(result: ToolResult, structured: string): ToolResult {
  return { ...result, content: result.content ?? [text(structured)], structured: null }
}

/** The result itself, for callers that want no text, unless it would be over the limit as one. */
export function limitResult(result: ToolResult, plan: ToolPlan, dependencies: ProtocolDependencies): ToolResult {
  const { content, structured } = result
  // It is in the text twice, quoted once, and each unit of it can become six bytes.
  const maxBytes = maxBytesOf(plan, dependencies)
  if (content === null && structured !== null && structured.length * 10 < maxBytes) return result
  const members = encodeToolResult(result, latest, false)
  return fits(members, maxBytes) ? result : tooLarge(plan, dependencies)
}

function tooLarge(plan: ToolPlan, dependencies: ProtocolDependencies): ToolResult {
  return errorResult(`${refuseOversized(plan.what, maxBytesOf(plan, dependencies), dependencies).message}.`)
}

function maxBytesOf({ maxResultBytes }: ToolPlan, dependencies: ProtocolDependencies): number {
  return maxResultBytes ?? dependencies.maxResultBytes
}
