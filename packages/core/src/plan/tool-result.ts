import { CallResult, type CallResultInit, type ContentBlock, text } from '../content.js'
import { UnfitResult } from '../errors/call-errors.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import type { CompiledSchema } from '../schema/compiled-schema.js'
import { describeErrors } from '../schema/describe-errors.js'
import { checkContent, isContentBlock } from './content-block.js'
import { copyOfScalars, toJson } from './plain-data.js'
import { textOfBytes } from './text-of-bytes.js'

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

interface EncoderOptions {
  /** `null`: results are not checked and have no structured content. */
  readonly output: CompiledSchema | null
  /** Whether text is sent as it is, control characters included. */
  readonly rawText: boolean
  /** Marks each result as holding what others wrote. */
  readonly untrusted: boolean
  /** Runs for a value that can be a whole result as well as data, and was taken for data. */
  readonly onAmbiguous: (strangers: readonly string[]) => void
}

/** What is done to text on its way out. */
interface Cleaner {
  text(text: string): string
  /** What a JSON text says when it leaves; `undefined` where it leaves as it is. */
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

/** In the `_meta` of results that hold what others wrote: a client may show it apart, or keep it from its model. */
const untrustedKey = 'toolwright/untrusted'

export function markUntrusted(result: ToolResult): ToolResult {
  return { ...result, meta: { ...result.meta, [untrustedKey]: true } }
}

export function errorResult(message: string): ToolResult {
  return { content: [text(cleanText(message))], structured: null, isError: true, meta: null }
}

function encodeStructured(value: unknown, output: CompiledSchema, cleaner: Cleaner): ToolResult {
  if (value instanceof CallResult) return encodeCallResult(toClean(value.init, cleaner), output)
  return { content: null, structured: checkedJson(value, output, cleaner), isError: false, meta: null }
}

/** What is checked is the JSON that leaves, not the value it is made from: getters and `toJSON` cannot slip past. */
function checkedJson(value: unknown, output: CompiledSchema, cleaner: Cleaner): string {
  const scalars = copyOfScalars(value)
  const written = toJson(scalars ?? value)
  const cleaned = cleaner.json(written)
  check(cleaned ?? scalars ?? JSON.parse(written), output)
  return cleaned === undefined ? written : toJson(cleaned)
}

function check(data: unknown, output: CompiledSchema): void {
  if (output.check(data)) return
  throw new UnfitResult(
    `The result does not fit the output schema: ${describeErrors(output.errors(data), data, 'the result')}${adviceOn(data)}`,
  )
}

/** Handlers of the official SDK return whole results, which are taken as they are only where there is no schema. */
function adviceOn(data: unknown): string {
  if (!isJsonObject(data) || !isContentList(data['content'])) return ''
  return '. It is a whole result, with its content: return result({ … })'
}

function encodeValue(value: unknown, cleaner: Cleaner, onAmbiguous: EncoderOptions['onAmbiguous']): ToolResult {
  if (typeof value === 'string') return contentResult([{ type: 'text', text: cleaner.text(value) }])
  if (value === undefined) return contentResult([])
  if (value instanceof CallResult) return encodeCallResult(toClean(value.init, cleaner), null)
  if (value instanceof Uint8Array) return contentResult([text(cleaner.text(textOfBytes(value)))])
  const written = toJson(value)
  const cleaned = cleaner.json(written)
  const json = cleaned === undefined ? written : toJson(cleaned)
  // Reading the JSON again takes as long as all the rest.
  if (!mayBeContent(cleaned ?? value)) return contentResult([text(json)])
  return encodeData(cleaned ?? JSON.parse(json), json, onAmbiguous)
}

/** Whether the JSON of a value can be content: looks at the members that tell, and reads none of them. */
function mayBeContent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value) && !('toJSON' in value)) return mayBeContent(value[0])
  return 'type' in value || 'content' in value || 'toJSON' in value
}

/** A page of a blog may have a `content`, too: with a member that no result has, an object is data. */
const resultMembers = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType'])

/** Content blocks, and results in the shape of the spec, are what they look like; any other data becomes its JSON. */
function encodeData(data: unknown, json: string, onAmbiguous: EncoderOptions['onAmbiguous']): ToolResult {
  const blocks = isContentBlock(data) ? [data] : data
  if (isContentList(blocks) && blocks.length > 0) {
    blocks.forEach(checkContent)
    return contentResult(blocks)
  }
  if (!isJsonObject(data) || !isContentList(data['content'])) return contentResult([text(json)])
  const strangers = Object.keys(data).filter((name) => !resultMembers.has(name))
  if (strangers.length === 0) return encodeCallResult(data, null)
  onAmbiguous(strangers)
  return contentResult([text(json)])
}

/** As plain data: getters read once, `toJSON` applied. */
function toClean(init: CallResultInit, cleaner: Cleaner): CallResultInit {
  const json = toJson(init)
  return (cleaner.json(json) ?? JSON.parse(json)) as CallResultInit
}

/** @throws UnfitResult */
function checkCallResult(plain: CallResultInit, output: CompiledSchema | null): void {
  const { content, structuredContent, isError = false, _meta } = plain
  if (content !== undefined && !isContentList(content)) {
    throw new UnfitResult('The result has a malformed content block')
  }
  content?.forEach(checkContent)
  if (typeof isError !== 'boolean') throw new UnfitResult('The isError of the result is not a boolean')
  if (_meta !== undefined && !isJsonObject(_meta)) throw new UnfitResult('The _meta of the result is not an object')
  if (output === null || isError) return
  if (structuredContent !== undefined) check(structuredContent, output)
  else throw new UnfitResult('The result has no structuredContent, but the tool has an output schema')
}

/** @param plain What nobody else holds, and leaves as it is. */
function encodeCallResult(plain: CallResultInit, output: CompiledSchema | null): ToolResult {
  checkCallResult(plain, output)
  const { content, structuredContent, isError = false, _meta } = plain
  const structured = JSON.stringify(structuredContent) as string | undefined
  const withoutContent = structured === undefined ? [] : null
  return { content: content ?? withoutContent, structured: structured ?? null, isError, meta: _meta ?? null }
}

function contentResult(content: readonly ContentBlock[]): ToolResult {
  return { content, structured: null, isError: false, meta: null }
}

function isContentList(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every(isContentBlock)
}

/**
 * What no reader of a text sees and a model may obey, or a terminal may execute: control characters but tab and line
 * breaks, and Unicode tag characters, which spell ASCII invisibly. Halves of characters are mended besides.
 */
// oxlint-disable-next-line no-control-regex
const unclean = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]|[\u{e0000}-\u{e007f}]/u

/** The three flags that are spelt with tag characters; those of no other flag have a picture. */
const flags =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u

const tags = new RegExp(`(${flags.source})|[\\u{e0000}-\\u{e007f}]`, 'gu')

/** The same in JSON as `JSON.stringify` writes it, where most of it is escaped. It may suspect text that is clean. */
// oxlint-disable-next-line no-control-regex
const uncleanJson = /\\[bfu]|[\x7f-\x9f]|\udb40[\udc00-\udc7f]/

/** The text as it may leave. Most text is clean, and comes back as it is. */
export function cleanText(text: string): string {
  return unclean.test(text) ? withoutControls(text.toWellFormed()).replace(tags, '$1') : text
}

/** By hand: for millions of them, `replace` takes ten times as long. */
function withoutControls(text: string): string {
  const width = /[\u0100-\uffff]/.test(text) ? 2 : 1
  const encoding = width === 1 ? 'latin1' : 'utf16le'
  const units = Buffer.from(text, encoding)
  let length = 0
  for (let index = 0; index < units.length; index += width) {
    const low = units[index] as number
    const high = width === 1 ? 0 : (units[index + 1] as number)
    if (high === 0 && isControl(low)) continue
    units[length] = low
    if (width === 2) units[length + 1] = high
    length += width
  }
  return length === units.length ? text : units.toString(encoding, 0, length)
}

function isControl(code: number): boolean {
  if (code < 0x20) return code !== 0x09 && code !== 0x0a && code !== 0x0d
  return code >= 0x7f && code <= 0x9f
}

/** What a JSON text says, every text in it clean, names of members included. `undefined` where it is clean already. */
export function cleanJson(json: string): unknown {
  return uncleanJson.test(json) ? cleanValue(JSON.parse(json)) : undefined
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cleanValue)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [cleanText(name), cleanValue(member)]))
}
