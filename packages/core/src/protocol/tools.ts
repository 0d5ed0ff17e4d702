import type { ToolDefinition } from '../catalog/definitions.js'
import { callTool, findTool, InvalidArguments, readArguments } from '../dispatch/call-tool.js'
import { ListPages } from '../dispatch/list-pages.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { ToolPlan } from '../plan/tool-plan.js'
import { errorResult, type ToolResult } from '../plan/tool-result.js'
import type { JsonObject } from '../rpc/messages.js'
import { encodeTool } from './encode-tool.js'
import { encodeToolResult } from './encode-tool-result.js'
import type { Call, Method } from './era.js'
import type { Revision } from './revisions.js'
import type { Served } from './served.js'

/** `tools/list` and `tools/call` of one revision. */
export interface ToolMethods {
  readonly list: Method
  readonly call: Method
}

/** Completes a result's members (JSON text without the braces) with what the era wants in every result. */
export type CompleteResult = (members: string, meta: JsonObject | null) => string

export interface ToolMethodOptions {
  readonly served: Served
  readonly revision: Revision
  readonly completeResult: CompleteResult
  /** More members of a list's result, as JSON text that begins with a comma. */
  readonly listMembers: string
}

export function createToolMethods(options: ToolMethodOptions): ToolMethods {
  const { served, revision, completeResult, listMembers } = options
  const pages = new ListPages<ToolDefinition>({
    method: 'tools/list',
    pageSize: served.pageSize,
    entries: () => served.catalog.tools,
    encode: (tools, nextCursor) => {
      const entries = JSON.stringify(tools.map((tool) => encodeTool(tool, revision)))
      const cursor = nextCursor ?? (served.alwaysNextCursor ? '' : undefined)
      const next = cursor === undefined ? '' : `,"nextCursor":${JSON.stringify(cursor)}`
      return completeResult(`"tools":${entries}${next}${listMembers}`, null)
    },
  })
  // Serialised now, so that the first client does not wait for it.
  pages.page(undefined)
  return {
    list: ({ request }) => pages.page(request.params['cursor']),
    call: async (call) => {
      const plan = findTool(served.plans.tools, call.request.params)
      const result = await run(plan, call, served)
      return completeResult(encodeWithin(result, plan, revision, served), result.meta)
    },
  }
}

async function run(
  plan: ToolPlan,
  { request, context, cancellation, revision }: Call,
  served: Served,
): Promise<ToolResult> {
  const { params } = request
  try {
    const call = { params, context, cancellation, exposeErrors: served.exposeErrors }
    return await callTool(plan, readArguments(params), call)
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
