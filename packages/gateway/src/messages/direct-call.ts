import type { Catalog, JsonObject } from '@toolwright/core'
import { ForwardedExchange } from '@toolwright/core/extension'
import { isLong, yieldToEventLoop } from '@toolwright/core/host'
import { isObject } from '@toolwright/core/options'
import { type Answer, type Exchange } from '@toolwright/core/transport'
import { invalidParamsData, unknownToolData } from './error-data.js'
import { type Response, type RpcError, readResponse, withError, withJson, withResult } from './response.js'

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
    if (isLong(answer.body)) void this.#sendInTurn(answer)
    else super.sendAnswer(toDirect(answer, this.#tool, this.catalog))
  }

  /** Converts a long result in several turns of the event loop, so that other clients are served in between. */
  async #sendInTurn(answer: Answer): Promise<void> {
    try {
      await yieldToEventLoop('answer')
      const response = readResponse(answer)
      const found = response === null || isTyped(this.#tool, this.catalog) ? null : onlyText(response)
      if (response === null || found === null) {
        super.sendAnswer(toDirect(answer, this.#tool, this.catalog))
        return
      }
      await yieldToEventLoop('answer')
      super.sendAnswer(withJson(answer, response, jsonIn(found)))
    } catch (error) {
      this.crash(error)
    }
  }
}

interface FoundText {
  readonly quoted: string
  readonly text: string
}

const beforeText = '{"content":[{"type":"text","text":'
const afterText = ['}]}', '}],"isError":false}']

/** Returns the text of a result that contains only one text, without parsing the rest; `null` for other results. */
function onlyText({ kind, json }: Response): FoundText | null {
  const end = afterText.find((after) => json.endsWith(`"${after}`))
  if (kind === 'error' || end === undefined || !json.startsWith(beforeText)) return null
  const quoted = json.slice(beforeText.length, -end.length)
  try {
    return { quoted, text: JSON.parse(quoted) as string }
  } catch {
    // Several blocks are not one string.
    return null
  }
}

/** Returns the JSON of a value without line breaks, which would end a message over stdio. */
function jsonIn({ quoted, text }: FoundText): string {
  try {
    JSON.parse(text)
    // Strings of JSON contain no line breaks, so only white space is removed.
    return text.replaceAll(/[\r\n]+/g, '')
  } catch {
    return quoted
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
  if (response === null || isTypedResult(response, tool, catalog)) return answer
  const parsed: unknown = JSON.parse(response.json)
  if (response.kind === 'error') {
    return withError(answer, response, toDirectError(parsed as RpcError, answer, tool, catalog))
  }
  const result = parsed as ToolResult
  if (result.isError === true) return withError(answer, response, errorOf(result, tool, catalog))
  if (isTyped(tool, catalog)) return answer
  const value = valueOf(result)
  return value === result ? answer : withResult(answer, response, value)
}

/** Whether the tool has an output schema. Its result has the form of MCP, as in MCP Gateway. */
function isTyped(tool: string, catalog: Catalog): boolean {
  return catalog.tools.get(tool)?.output !== null
}

/** Whether the answer certainly is the result of a typed tool, and no error. Quotes in a text are escaped. */
function isTypedResult({ kind, json }: Response, tool: string, catalog: Catalog): boolean {
  return kind === 'result' && isTyped(tool, catalog) && !json.includes('"isError":true')
}

function toDirectError(error: RpcError, { unknownFeature }: Answer, tool: string, catalog: Catalog): RpcError {
  if (unknownFeature !== undefined) {
    return { code: -32601, message: 'Method not found', data: unknownToolData(unknownFeature) }
  }
  const detail = error.data?.['detail']
  if (error.message !== 'Invalid params' || typeof detail !== 'string') return error
  return { ...error, data: invalidParamsData(detail, tool, catalog) }
}

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
