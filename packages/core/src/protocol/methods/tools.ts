import { type Call, type FeatureMethod, mayUse, type Step } from '../../call/call.js'
import { rejectUse } from '../../call/observe-forbidden.js'
import { unknownFeature } from '../../call/unknown-feature.js'
import { text } from '../../content.js'
import type { ProtocolError } from '../../errors/protocol-error.js'
import { rejectOversized } from '../../limits/counter.js'
import { resultKindKey } from '../../plan/result-kind.js'
import type { ToolPlan } from '../../plan/tool-plan.js'
import { errorResult, type ToolResult } from '../../plan/tool-result.js'
import { readArguments, readString } from '../../rpc/messages.js'
import type { ProtocolDependencies } from '../dependencies.js'
import { encodeTool } from '../encode/encode-definitions.js'
import { encodeToolResult } from '../encode/encode-tool-result.js'
import type { Method, Methods } from '../era.js'
import type { WritingMethod } from '../request-call.js'
import { latest, type Revision } from '../revisions.js'
import { createListMethod } from './list-method.js'
import { fits, type ResultWriter } from './result-writer.js'

export function createToolMethods(writer: ResultWriter): Methods {
  const { dependencies, revision, completeResult } = writer
  const list = createListMethod(writer, {
    method: 'tools/list',
    member: 'tools',
    registry: dependencies.catalog.tools,
    encode: encodeTool,
  })
  const method: WritingMethod = {
    notFound: unknownTool(dependencies),
    startTask: dependencies.extensions.createStartTask(writer) ?? withoutTasks(revision),
    write: (encoded, call) => {
      const result = encoded as ToolResult
      const plan = call.plan as ToolPlan
      const members = encodeFor(result, plan, revision, dependencies)
      const sent = fits(members, plan.maxResultBytes)
        ? members
        : encodeFor(tooLarge(plan, dependencies), plan, revision, dependencies)
      const isKindRequested = call.context.meta[resultKindKey] === true
      return completeResult(sent, isKindRequested ? { [resultKindKey]: result.kind, ...result.meta } : result.meta)
    },
  }
  return { 'tools/list': list, 'tools/call': createToolCall(dependencies, method) }
}

export function createToolCall({ plans, catalog }: ProtocolDependencies, method: FeatureMethod): Method {
  const { tools } = plans
  return (call) => {
    const { params } = call.request
    const name = readString(params, 'name')
    const plan = tools.get(name)
    call.featureName = name
    if (!catalog.tools.offers(name, call.context)) throw method.notFound(call)
    if (plan === undefined || !mayUse(plan, call.context.principal)) {
      throw rejectUse(plan, params['arguments'], call) ?? method.notFound(call)
    }
    call.start(plan, method, readArguments(params))
  }
}

export function unknownTool({ catalog: { tools } }: ProtocolDependencies): (call: Call) => ProtocolError {
  return ({ featureName, context }) => unknownFeature('tool', featureName, tools.visibleTo(context).map(tools.keyOf))
}

function withoutTasks({ era }: Revision): (call: Call, next: Step) => void {
  const lacking = era === 'legacy' ? "the client's protocol version" : 'this server'
  return (call, next) => {
    const { name, task } = call.plan as ToolPlan
    if (task === 'optional') next(call)
    else call.end(errorResult(`Tool '${name}' only runs as a task, which ${lacking} does not support.`))
  }
}

/**
 * Encodes a result. Older clients reject an error, including its text, if its structured content does not match the output
 * schema. For these clients, structured content that does not match is only sent as text.
 */
function encodeFor(
  result: ToolResult,
  { output }: ToolPlan,
  revision: Revision,
  dependencies: ProtocolDependencies,
): string {
  const { isError, structured } = result
  const { alwaysStructuredContent } = dependencies
  if (!isError || output === null) return encodeToolResult(result, revision, alwaysStructuredContent)
  const isRejected = revision.era === 'legacy' && structured !== null && !output.check(JSON.parse(structured))
  return encodeToolResult(
    isRejected ? withoutStructured(result, structured) : result,
    revision,
    false,
    alwaysStructuredContent,
  )
}

function withoutStructured(result: ToolResult, structured: string): ToolResult {
  return { ...result, content: result.content ?? [text(structured)], structured: null }
}

export function limitResult(result: ToolResult, plan: ToolPlan, dependencies: ProtocolDependencies): ToolResult {
  const { content, structured } = result
  // Structured content occurs twice in the JSON, with at most nine bytes per code unit in total. Short content needs no exact
  // check.
  const maxBytes = plan.maxResultBytes
  if (content === null && structured !== null && structured.length * 10 < maxBytes) return result
  const members = encodeToolResult(result, latest, false)
  return fits(members, maxBytes) ? result : tooLarge(plan, dependencies)
}

function tooLarge(plan: ToolPlan, dependencies: ProtocolDependencies): ToolResult {
  return errorResult(`${rejectOversized(plan.label, plan.maxResultBytes, dependencies).message}.`)
}
