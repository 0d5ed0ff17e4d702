import { type CompiledSchema, describeErrors } from '@toolwright/schema'
import { isListedOnly } from '../catalog/define/listed-schema.js'
import { CallResult, type CallResultInit, type ContentBlock, text } from '../content.js'
import { UnfitResult } from '../errors/call-errors.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { checkContent, isContentBlock } from './content-block.js'
import { copyOfScalars, textOfBytes, toJson } from './plain-data.js'
import type { ResultKind } from './result-kind.js'

export interface ToolResult {
  /** Content blocks; `null`: the text of `structured` is the content. */
  readonly content: readonly ContentBlock[] | null
  readonly structured: string | null
  readonly isError: boolean
  readonly meta: JsonObject | null
  readonly kind: ResultKind
}

type ResultEncoder = (value: unknown) => ToolResult

interface EncoderOptions {
  readonly output: CompiledSchema | null
  readonly rawText: boolean
  readonly untrusted: boolean
  readonly onAmbiguous: (unknownMembers: readonly string[]) => void
}

interface Cleaner {
  text(text: string): string
  /** Parses JSON, and removes such characters from its strings; `undefined` if there are no such characters. */
  json(json: string): unknown
}

const clean: Cleaner = { text: cleanText, json: cleanJson }
const raw: Cleaner = { text: (written) => written, json: () => undefined }

export function chooseEncoder({ output, rawText, untrusted, onAmbiguous }: EncoderOptions): ResultEncoder {
  const cleaner = rawText ? raw : clean
  const encode: ResultEncoder =
    output === null
      ? (value) => encodeValue(value, cleaner, onAmbiguous)
      : (value) => encodeStructured(value, output, cleaner)
  return untrusted ? (value) => markUntrusted(encode(value)) : encode
}

/**
 * Member of `_meta` that marks third-party content. Clients can display such content separately, or withhold it from their model.
 */
const untrustedKey = 'toolwright/untrusted'

export function markUntrusted(result: ToolResult): ToolResult {
  return { ...result, meta: { ...result.meta, [untrustedKey]: true } }
}

export function errorResult(message: string): ToolResult {
  return { content: [text(cleanText(message))], structured: null, isError: true, meta: null, kind: 'text' }
}

function encodeStructured(value: unknown, output: CompiledSchema, cleaner: Cleaner): ToolResult {
  if (value instanceof CallResult) return encodeCallResult(toClean(value.init, cleaner), output)
  return { content: null, structured: checkedJson(value, output, cleaner), isError: false, meta: null, kind: 'json' }
}

/** Validates the JSON that is sent, not the returned value, so that getters and `toJSON` cannot bypass the schema. */
function checkedJson(value: unknown, output: CompiledSchema, cleaner: Cleaner): string {
  const scalars = copyOfScalars(value)
  const written = toJson(scalars ?? value)
  const cleaned = cleaner.json(written)
  checkOutput(cleaned ?? scalars ?? JSON.parse(written), output)
  return cleaned === undefined ? written : toJson(cleaned)
}

function checkOutput(data: unknown, output: CompiledSchema): void {
  if (output.check(data)) return
  throw new UnfitResult(
    `The result does not fit the output schema: ${describeErrors(output.errors(data), data, 'the result')}${adviceOn(data)}`,
  )
}

/**
 * Advice for handlers written for the official SDK. Such handlers return complete results, which are recognized only if the tool
 * has no output schema.
 */
function adviceOn(data: unknown): string {
  if (!isJsonObject(data) || !isContentList(data['content'])) return ''
  return '. To return a complete result with content, write return result({ … })'
}

function encodeValue(value: unknown, cleaner: Cleaner, onAmbiguous: EncoderOptions['onAmbiguous']): ToolResult {
  if (typeof value === 'string') return contentResult([{ type: 'text', text: cleaner.text(value) }], 'text')
  if (value === undefined) return contentResult([], 'none')
  if (value instanceof CallResult) return encodeCallResult(toClean(value.init, cleaner), null)
  if (value instanceof Uint8Array) return contentResult([text(cleaner.text(textOfBytes(value)))], 'text')
  const written = toJson(value)
  const cleaned = cleaner.json(written)
  const json = cleaned === undefined ? written : toJson(cleaned)
  // Skips parsing if possible: parsing takes as long as all other steps together.
  if (!mayBeContent(cleaned ?? value)) return contentResult([text(json)], 'json')
  return encodeData(cleaned ?? JSON.parse(json), json, onAmbiguous)
}

/** Whether the JSON of a value could be content. Checks whether members exist, without reading them. */
function mayBeContent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value) && !('toJSON' in value)) return mayBeContent(value[0])
  return 'type' in value || 'content' in value || 'toJSON' in value
}

/** Members of a complete result. An object with any other member is data: a blog post can have `content`, too. */
const resultMembers = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType'])

function encodeData(data: unknown, json: string, onAmbiguous: EncoderOptions['onAmbiguous']): ToolResult {
  const blocks = isContentBlock(data) ? [data] : data
  if (isContentList(blocks) && blocks.length > 0) {
    blocks.forEach(checkContent)
    return contentResult(blocks, 'content')
  }
  if (!isJsonObject(data) || !isContentList(data['content'])) return contentResult([text(json)], 'json')
  const unknownMembers = Object.keys(data).filter((name) => !resultMembers.has(name))
  if (unknownMembers.length === 0) return encodeCallResult(data, null)
  onAmbiguous(unknownMembers)
  return contentResult([text(json)], 'json')
}

function toClean(init: CallResultInit, cleaner: Cleaner): CallResultInit {
  const json = toJson(init)
  return (cleaner.json(json) ?? JSON.parse(json)) as CallResultInit
}

function checkCallResult(plain: CallResultInit, output: CompiledSchema | null): void {
  const { content, structuredContent, isError = false, _meta } = plain
  if (content !== undefined && !isContentList(content)) {
    throw new UnfitResult('The result has a malformed content block')
  }
  content?.forEach(checkContent)
  if (typeof isError !== 'boolean') throw new UnfitResult('The isError of the result is not a boolean')
  if (_meta !== undefined && !isJsonObject(_meta)) throw new UnfitResult('The _meta of the result is not an object')
  if (output === null || isError) return
  if (structuredContent !== undefined) checkOutput(structuredContent, output)
  else if (!isListedOnly(output.wire))
    throw new UnfitResult('The result has no structuredContent, but the tool has an output schema')
}

/** @param plain The result as plain data, which is sent unchanged. It must not be an object that the handler can change. */
function encodeCallResult(plain: CallResultInit, output: CompiledSchema | null): ToolResult {
  checkCallResult(plain, output)
  const { content, structuredContent, isError = false, _meta } = plain
  const structured = JSON.stringify(structuredContent) as string | undefined
  const withoutContent = structured === undefined ? [] : null
  // Without content, the JSON of the structured content is sent as text.
  const kind = content === undefined && structured !== undefined ? 'json' : 'content'
  return { content: content ?? withoutContent, structured: structured ?? null, isError, meta: _meta ?? null, kind }
}

function contentResult(content: readonly ContentBlock[], kind: ResultKind): ToolResult {
  return { content, structured: null, isError: false, meta: null, kind }
}

function isContentList(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every(isContentBlock)
}

/**
 * Invisible characters that a model could obey or a terminal could execute: control characters except tab and line breaks, and
 * Unicode tag characters, which spell ASCII. Lone surrogates match, too, because they must be replaced.
 */
// oxlint-disable-next-line no-control-regex
const unclean = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]|[\u{e0000}-\u{e007f}]/u

const flags =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u

const tags = new RegExp(`(${flags.source})|[\\u{e0000}-\\u{e007f}]`, 'gu')

/**
 * Matches unclean text in the output of `JSON.stringify`, which escapes most unclean characters. The pattern also matches some
 * clean text.
 */
// oxlint-disable-next-line no-control-regex
const uncleanJson = /\\[bfu]|[\x7f-\x9f]|\udb40[\udc00-\udc7f]/

function cleanText(source: string): string {
  return unclean.test(source) ? withoutControls(source.toWellFormed()).replace(tags, '$1') : source
}

/** Removes control characters without `replace`, which takes ten times as long for millions of matches. */
function withoutControls(source: string): string {
  const width = /[\u0100-\uffff]/.test(source) ? 2 : 1
  const encoding = width === 1 ? 'latin1' : 'utf16le'
  const units = Buffer.from(source, encoding)
  let length = 0
  for (let index = 0; index < units.length; index += width) {
    const low = units[index] as number
    const high = width === 1 ? 0 : (units[index + 1] as number)
    if (high === 0 && isControl(low)) continue
    units[length] = low
    if (width === 2) units[length + 1] = high
    length += width
  }
  return length === units.length ? source : units.toString(encoding, 0, length)
}

function isControl(code: number): boolean {
  if (code < 0x20) return code !== 0x09 && code !== 0x0a && code !== 0x0d
  return code >= 0x7f && code <= 0x9f
}

/**
 * Parses JSON, and removes unclean characters from all strings, including names of members. Returns `undefined` if `uncleanJson`
 * does not match.
 */
function cleanJson(json: string): unknown {
  return uncleanJson.test(json) ? cleanValue(JSON.parse(json)) : undefined
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cleanValue)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [cleanText(name), cleanValue(member)]))
}
