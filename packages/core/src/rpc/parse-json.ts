import { isAscii, isUtf8, transcode } from 'node:buffer'
import { safeParse } from 'secure-json-parse'
import { MessageTooLarge, ProtocolError } from '../errors/protocol-error.js'
import { afterBlanks, colon, endOfString, isClosing, isOpening, quote } from './json-text.js'
import { isJsonObject, type JsonObject } from './messages.js'

/**
 * Parses one JSON value from the wire. Rejects invalid UTF-8, JSON that exceeds the limits, and `__proto__` or
 * `constructor.prototype` keys (like Fastify's own parser).
 *
 * @throws ProtocolError -32700 (not JSON) or -32600 (rejected JSON).
 */
export function parseJson(bytes: Buffer, bounds: JsonBounds): unknown {
  const text = bytes.length < longMessage ? bytes.toString('utf8') : decodeLong(bytes)
  // Invalid bytes are decoded as U+FFFD, but clients can also send a valid U+FFFD. The bytes are therefore only checked if the
  // text contains U+FFFD.
  if (text.includes('\uFFFD') && !isUtf8(bytes)) {
    throw new ProtocolError('parseError', 'Parse error: the message is not valid UTF-8')
  }
  return parseJsonText(text, bounds)
}

export function parseJsonText(text: string, bounds: JsonBounds): unknown {
  checkBounds(text, bounds)
  const value = parse(text)
  if (value === undefined) throw new ProtocolError('parseError', 'Parse error: the message is not valid JSON')
  // `safeParse` returns null both for a forbidden key and for the text "null". In both cases, the message is invalid.
  if (value === null) {
    throw new ProtocolError(
      'invalidRequest',
      'Invalid Request: a message must be a JSON object without "__proto__" keys',
    )
  }
  restoreIds(value, text)
  return value
}

/**
 * Parses JSON. Skips the check for forbidden keys if the text cannot contain such keys. For small messages, this check takes a
 * seventh of the total time.
 */
function parse(text: string): unknown {
  if (maySpellPoison(text)) return safeParse(text)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Whether the text could contain a forbidden key, including a key escaped with `\u`. Also true for text with a byte order mark,
 * which `JSON.parse` rejects.
 */
function maySpellPoison(text: string): boolean {
  return text.includes('\\u') || text.includes('__proto__') || text.includes('constructor') || text.startsWith('\uFEFF')
}

/** Size in bytes above which {@link decodeLong} is faster than a plain decode. */
const longMessage = 32 * 1024

/**
 * Decodes a long message. Converts non-ASCII text to UTF-16 first. V8 decodes non-ASCII UTF-8 at only 150 MB/s, which takes a
 * third of the total time for a long message.
 */
function decodeLong(bytes: Buffer): string {
  const isSlow = !isAscii(bytes) && isUtf8(bytes)
  return isSlow ? transcode(bytes, 'utf8', 'utf16le').toString('utf16le') : bytes.toString('utf8')
}

/**
 * Limits on the structure of a message. The time to parse and validate a message depends on the number of its parts, not on its
 * size in bytes.
 */
export interface JsonBounds {
  readonly maxDepth: number
  readonly maxKeys: number
  readonly maxItems: number
}

/**
 * Rejects JSON that exceeds the limits. Runs before the parser, so that one pass protects the parser and all later traversals.
 * Invalid JSON can pass this check, and is then rejected by the parser. Valid JSON that passes is within the limits.
 *
 * @throws MessageTooLarge
 */
function checkBounds(text: string, bounds: JsonBounds): void {
  // Most messages are short and have few brackets. For such messages, these checks take a seventh of the time of `measure`.
  let brackets = 0
  for (const bracket of ['{', '[']) {
    for (let index = text.indexOf(bracket); index !== -1; index = text.indexOf(bracket, index + 1)) {
      brackets++
      // The depth is at most the number of opening brackets.
      if (brackets > bounds.maxDepth) return measure(text, bounds)
    }
  }
  const isShort = text.length <= 5 * bounds.maxKeys && text.length <= 2 * bounds.maxItems
  if (!isShort && mayHaveMore(text, bounds)) measure(text, bounds)
}

/**
 * Whether the text could have too many parts. Does not count the parts of a short text: a member takes at least five characters,
 * and an item at least two.
 */
function mayHaveMore(text: string, { maxKeys, maxItems }: JsonBounds): boolean {
  if (text.length > 5 * maxKeys && count(text, ':', maxKeys) > maxKeys) return true
  return text.length > 2 * maxItems && count(text, ',', maxItems) + count(text, '[', maxItems) > maxItems
}

/** Counts the occurrences of a character. Stops when the count exceeds `limit`. */
function count(text: string, character: string, limit: number): number {
  let found = 0
  for (
    let index = text.indexOf(character);
    index !== -1 && found <= limit;
    index = text.indexOf(character, index + 1)
  ) {
    found++
  }
  return found
}

const comma = 0x2c

function measure(text: string, { maxDepth, maxKeys, maxItems }: JsonBounds): void {
  let depth = 0
  let keys = 0
  // Number of members and items: one for each comma, and one for each object or array that is not empty.
  let parts = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    else if (code === comma) parts++
    else if (code === colon) keys++
    else if (isOpening(code)) {
      depth++
      if (depth > maxDepth) throw rejected(`JSON nested deeper than ${maxDepth} levels`)
      if (!isClosing(text.charCodeAt(afterBlanks(text, index + 1)))) parts++
    } else if (isClosing(code)) depth--
  }
  if (keys > maxKeys) throw rejected(`the objects of a message together must have at most ${maxKeys} keys`)
  if (parts - keys > maxItems) throw rejected(`the arrays of a message together must have at most ${maxItems} items`)
}

function rejected(reason: string): MessageTooLarge {
  return new MessageTooLarge(`Invalid Request: ${reason}`)
}

/**
 * Replaces ids that exceed the safe integers, such as 64-bit counters, by `bigint`s. Otherwise, the client would not recognize
 * the id of the response. Also replaces progress tokens, and the ids in cancellations.
 *
 * @param message The result of `JSON.parse`; changed in place.
 * @param text The JSON that `message` was parsed from.
 */
export function restoreIds(message: unknown, text: string): void {
  if (Array.isArray(message) ? message.some(hasLongId) : hasLongId(message)) {
    const exact: unknown = JSON.parse(quoteLongIntegers(text).trim())
    if (!Array.isArray(message)) restore(message, exact)
    else for (const [index, part] of message.entries()) restore(part, (exact as unknown[])[index])
  }
}

/** The members of a message that can hold an id. Each value can be of another type than expected. */
interface MayHaveIds {
  readonly id?: unknown
  readonly params?: {
    readonly requestId?: unknown
    readonly _meta?: { readonly progressToken?: unknown } | null
  } | null
}

function hasLongId(message: unknown): boolean {
  const { id, params } = (message ?? {}) as MayHaveIds
  return isLong(id) || isLong(params?.requestId) || isLong(params?._meta?.progressToken)
}

function isLong(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value)
}

function restore(message: unknown, exact: unknown): void {
  if (!isJsonObject(message) || !isJsonObject(exact)) return
  restoreMember(message, exact, 'id')
  const [params, exactParams] = [message['params'], exact['params']]
  if (!isJsonObject(params) || !isJsonObject(exactParams)) return
  // In other methods, a parameter with this name need not be an id.
  if (message['method'] === 'notifications/cancelled') restoreMember(params, exactParams, 'requestId')
  const [meta, exactMeta] = [params['_meta'], exactParams['_meta']]
  if (isJsonObject(meta) && isJsonObject(exactMeta)) restoreMember(meta, exactMeta, 'progressToken')
}

/** Restores one id. A number that was written with an exponent stays a `number`. */
function restoreMember(object: JsonObject, exact: JsonObject, name: string): void {
  const digits = exact[name]
  if (isLong(object[name]) && typeof digits === 'string') (object as Record<string, unknown>)[name] = BigInt(digits)
}

const longLength = 16

const number = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y

function quoteLongIntegers(text: string): string {
  const parts: string[] = []
  let taken = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    else if (isNumberStart(code)) {
      number.lastIndex = index
      const literal = number.exec(text)?.[0] ?? ''
      if (literal.length >= longLength && /^-?\d+$/.test(literal)) {
        parts.push(text.slice(taken, index), `"${literal}"`)
        taken = index + literal.length
      }
      index += Math.max(0, literal.length - 1)
    }
  }
  return parts.join('') + text.slice(taken)
}

function isNumberStart(code: number): boolean {
  return code === 0x2d || (code >= 0x30 && code <= 0x39)
}
