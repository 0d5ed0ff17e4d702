import { callTool, findTool, InvalidArguments } from '../../dispatch/call-tool.js'
import { readArguments } from '../../dispatch/read-params.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import type { ToolPlan } from '../../plan/tool-plan.js'
import { errorResult, type ToolResult } from '../../plan/tool-result.js'
import { encodeTool } from '../encode-definitions.js'
import { encodeToolResult } from '../encode-tool-result.js'
import type { Call, Method } from '../era.js'
import type { Revision } from '../revisions.js'
import type { Served } from '../served.js'
import { createListMethod } from './list-method.js'
import type { Wire } from './wire.js'

/** `tools/list` and `tools/call` of one revision. */
export function createToolMethods(wire: Wire): [string, Method][] {
  const { served, revision, completeResult, callAsTask } = wire
  const list = createListMethod(wire, {
    method: 'tools/list',
    member: 'tools',
    shelf: served.catalog.tools,
    encode: encodeTool,
  })
  const encode = (result: ToolResult, plan: ToolPlan): string =>
    completeResult(encodeWithin(result, plan, revision, served), result.meta)
  const serveNow = (plan: ToolPlan, request: Call): string | Promise<string> => {
    const result = run(plan, request, served)
    return result instanceof Promise ? result.then((settled) => encode(settled, plan)) : encode(result, plan)
  }
  const serve = (plan: ToolPlan, request: Call): string | Promise<string> =>
    plan.gate === null ? serveNow(plan, request) : plan.gate.run(request.exchange.caller, () => serveNow(plan, request))
  const call: Method = (request) => {
    const plan = findTool(served.plans.tools, request.request.params)
    if (plan.task === null) return serve(plan, request)
    if (callAsTask !== null) return callAsTask(plan, request, (own) => serve(plan, own))
    return plan.task === 'optional' ? serve(plan, request) : encode(onlyAsTask(plan), plan)
  }
  return [
    ['tools/list', list],
    ['tools/call', call],
  ]
}

function onlyAsTask({ name }: ToolPlan): ToolResult {
  return errorResult(`Tool '${name}' runs as a task only, which the protocol version of this client does not have.`)
}

function run(
  plan: ToolPlan,
  { request, context, cancellation, revision }: Call,
  served: Served,
): ToolResult | Promise<ToolResult> {
  const { params } = request
  try {
    const call = { context, cancellation, exposeErrors: served.exposeErrors }
    return callTool(plan, readArguments(params), call)
  } catch (error) {
    if (!(error instanceof InvalidArguments)) throw error
    if (revision.invalidArguments === 'result') return errorResult(error.message)
    throw new ProtocolError('invalidParams', 'Invalid params', { detail: error.message })
  }
}

/** A result over the limit is not sent: half of one would be worse than none. */
function encodeWithin(result: ToolResult, plan: ToolPlan, revision: Revision, served: Served): string {
  const { alwaysStructuredContent, maxResultBytes } = served
  const members = encodeToolResult(result, revision, alwaysStructuredContent)
  // A UTF-16 unit is at most three bytes of UTF-8: most results need no exact count.
  if (members.length * 3 <= maxResultBytes || Buffer.byteLength(members) <= maxResultBytes) return members
  served.log.warn({ tool: plan.name, maxResultBytes }, 'a tool result was over the size limit')
  const message = `Tool '${plan.name}' returned more than ${maxResultBytes} bytes. Ask for less.`
  return encodeToolResult(errorResult(message), revision, alwaysStructuredContent)
}
