import { CallResult, type CallResultInit, type ContentBlock, text } from '../content.js'
import { UnfitResult } from '../errors/unfit-result.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import type { CompiledSchema } from '../schema/compile-schema.js'
import { describeFaults } from '../schema/describe-faults.js'
import { isContentBlock } from './content-block.js'
import { copyOfScalars } from './copy-of-scalars.js'
import { toJson, toPlain } from './to-json.js'

/** What a tool answered, before a protocol revision decides how it looks on the wire. Plain data throughout. */
export interface ToolResult {
  /** `null`: the text of `structured` stands for it. */
  readonly content: readonly ContentBlock[] | null
  /** JSON text of the structured content. */
  readonly structured: string | null
  readonly isError: boolean
  readonly meta: JsonObject | null
}

/** Turns what a handler returned into a result. */
export type ResultEncoder = (value: unknown) => ToolResult

export function chooseEncoder(output: CompiledSchema | null): ResultEncoder {
  return output === null ? encodeValue : (value) => encodeStructured(value, output)
}

export function errorResult(message: string): ToolResult {
  return { content: [text(message)], structured: null, isError: true, meta: null }
}

function encodeStructured(value: unknown, output: CompiledSchema): ToolResult {
  if (value instanceof CallResult) return encodeCallResult(value.init, output)
  return { content: null, structured: checkedJson(value, output), isError: false, meta: null }
}

/** What is checked is the JSON that leaves, not the value it is made from: getters and `toJSON` cannot slip past. */
function checkedJson(value: unknown, output: CompiledSchema): string {
  const scalars = copyOfScalars(value)
  const json = toJson(scalars ?? value)
  const data: unknown = scalars ?? JSON.parse(json)
  if (!output.check(data)) {
    throw new UnfitResult(
      `The result does not fit the output schema: ${describeFaults(output.faults(data), data, 'the result')}`,
    )
  }
  return json
}

function encodeValue(value: unknown): ToolResult {
  if (typeof value === 'string') return contentResult([text(value)])
  if (value === undefined) return contentResult([])
  if (value instanceof CallResult) return encodeCallResult(value.init, null)
  const json = toJson(value)
  if (typeof value !== 'object' || value === null) return contentResult([text(json)])
  return encodeData(JSON.parse(json) as unknown, json)
}

/** Content blocks, and results in the shape of the spec, are what they look like; any other data becomes its JSON. */
function encodeData(data: unknown, json: string): ToolResult {
  if (isContentBlock(data)) return contentResult([data])
  if (isContentList(data) && data.length > 0) return contentResult(data)
  if (isJsonObject(data) && isContentList(data['content'])) return encodeCallResult(data, null)
  return contentResult([text(json)])
}

function encodeCallResult(init: CallResultInit, output: CompiledSchema | null): ToolResult {
  const { content, structuredContent, isError = false, _meta } = toPlain(init) as CallResultInit
  if (content !== undefined && !isContentList(content))
    throw new UnfitResult('The result has a malformed content block')
  if (_meta !== undefined && !isJsonObject(_meta)) throw new UnfitResult('The _meta of the result is no object')
  const mustFit = output !== null && !isError
  if (mustFit && structuredContent === undefined) {
    throw new UnfitResult('The result has no structuredContent, but the tool has an output schema')
  }
  const structured = mustFit ? checkedJson(structuredContent, output) : JSON.stringify(structuredContent)
  const withoutContent = structured === undefined ? [] : null
  return { content: content ?? withoutContent, structured: structured ?? null, isError, meta: _meta ?? null }
}

function contentResult(content: readonly ContentBlock[]): ToolResult {
  return { content, structured: null, isError: false, meta: null }
}

function isContentList(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every(isContentBlock)
}
