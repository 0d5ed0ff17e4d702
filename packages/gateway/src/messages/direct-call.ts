import type { Catalog, JsonObject } from '@toolwright/core'
import { isObject } from '@toolwright/core/options'
import { type Answer, type Exchange, ForwardedExchange } from '@toolwright/core/transport'
import { invalidParamsData, unknownToolData } from './error-data.js'
import { type RpcError, readResponse, withError, withResult } from './response.js'

/** A message whose method is the name of a tool. */
export interface DirectMessage {
  readonly id?: unknown
  readonly method: string
  readonly params?: unknown
}

interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly isError?: boolean
}

/** A request whose method is the name of a tool. The server receives `tools/call`, and the client gets the returned value. */
export class DirectCall extends ForwardedExchange {
  readonly #tool: string

  constructor(
    original: Exchange,
    message: DirectMessage,
    private readonly catalog: Catalog,
  ) {
    super(original, { message: toToolCall(message, catalog), ...revisionOf(original) })
    this.#tool = message.method
  }

  protected override sendAnswer(answer: Answer): void {
    super.sendAnswer(toDirect(answer, this.#tool, this.catalog))
  }
}

function toToolCall({ id, method, params }: DirectMessage, catalog: Catalog): object {
  const { _meta, ...args } = isObject(params) ? (params as JsonObject) : {}
  // An array is passed on, so that the server rejects it.
  const given = Array.isArray(params) ? params : withoutNulls(args, catalog.tools.get(method)?.input.wire['required'])
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: method, arguments: given, _meta } }
}

/** Removes optional arguments that are `null`: serializers of .NET write `null` for omitted values. */
function withoutNulls(args: JsonObject, required: unknown): JsonObject {
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => value !== null || names.includes(name)))
}

/**
 * Returns overrides that choose the revision. For a request with headers but without a version, the specification
 * requires an old revision, without structured content. For a request without headers, the server uses the newest
 * revision with a handshake.
 */
function revisionOf({ headers }: Exchange): object {
  const isNamed = headers?.['mcp-protocol-version'] !== undefined || headers?.['mcp-session-id'] !== undefined
  return isNamed ? {} : { headers: null }
}

function toDirect(answer: Answer, tool: string, catalog: Catalog): Answer {
  const response = readResponse(answer)
  if (response === null) return answer
  const parsed: unknown = JSON.parse(response.json)
  if (response.kind === 'error') {
    return withError(answer, response, toDirectError(parsed as RpcError, answer, tool, catalog))
  }
  const result = parsed as ToolResult
  if (result.isError === true) return withError(answer, response, errorOf(result, tool, catalog))
  // A tool with an output schema has a result in the form of MCP, as in MCP Gateway.
  const isTyped = catalog.tools.get(tool)?.output !== null
  return isTyped ? answer : withResult(answer, response, valueOf(result))
}

function toDirectError(error: RpcError, { unknownFeature }: Answer, tool: string, catalog: Catalog): RpcError {
  if (unknownFeature !== undefined) {
    return { code: -32601, message: 'Method not found', data: unknownToolData(unknownFeature) }
  }
  const detail = error.data?.['detail']
  if (error.message !== 'Invalid params' || typeof detail !== 'string') return error
  return { ...error, data: invalidParamsData(detail, tool, catalog) }
}

/** Returns the error for a call that failed because of its arguments, or in the tool. */
function errorOf({ content }: ToolResult, tool: string, catalog: Catalog): RpcError {
  const detail = content.flatMap(({ text = [] }) => text).join('\n')
  return detail.startsWith(`Invalid arguments for tool '${tool}': `)
    ? { code: -32602, message: 'Invalid params', data: invalidParamsData(detail, tool, catalog) }
    : { code: -32603, message: 'Internal error', data: { detail } }
}

/**
 * Returns the value that the tool returned: the JSON of its text, or its text. Content other than text is returned
 * unchanged.
 */
function valueOf(result: ToolResult): unknown {
  const [block, ...others] = result.content
  if (block === undefined && !('structuredContent' in result)) return null
  if (block?.text === undefined || others.length > 0 || 'structuredContent' in result) return result
  try {
    return JSON.parse(block.text)
  } catch {
    return block.text
  }
}
