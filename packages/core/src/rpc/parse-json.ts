import { isAscii, isUtf8, transcode } from 'node:buffer'
import { safeParse } from 'secure-json-parse'
import { MessageTooLarge, ProtocolError } from '../errors/protocol-error.js'
import { afterBlanks, colon, endOfString, isClosing, isOpening, quote } from './json-text.js'
import { isJsonObject, type JsonObject } from './messages.js'

/**
 * Reads one JSON value from the wire, refusing what later code should never see: invalid UTF-8, more than the bounds
 * allow, and `__proto__` or `constructor.prototype` keys (as Fastify's own parser does).
 *
 * @throws ProtocolError -32700 (not JSON) or -32600 (JSON that is refused).
 */
export function parseJson(bytes: Buffer, bounds: JsonBounds): unknown {
  const text = bytes.length < longMessage ? bytes.toString('utf8') : decodeLong(bytes)
  // Bytes that are not UTF-8 become U+FFFD, which a client may also have sent: only then the bytes need another look.
  if (text.includes('\uFFFD') && !isUtf8(bytes)) {
    throw new ProtocolError('parseError', 'Parse error: the message is not valid UTF-8')
  }
  return parseJsonText(text, bounds)
}

/** The same for text that is already decoded. */
export function parseJsonText(text: string, bounds: JsonBounds): unknown {
  checkBounds(text, bounds)
  const value = parse(text)
  if (value === undefined) throw new ProtocolError('parseError', 'Parse error: the message is not valid JSON')
  // `safeParse` answers null for a poisoned key as well as for the text "null"; neither is a message.
  if (value === null) {
    throw new ProtocolError('invalidRequest', 'Invalid Request: a message is a JSON object without "__proto__" keys')
  }
  restoreIds(value, text)
  return value
}

/** The check for poisoned keys is a seventh of a small parse, and few texts have what they can be spelt with. */
function parse(text: string): unknown {
  if (maySpellPoison(text)) return safeParse(text)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Letters can be spelt with `\u` too. What begins with a byte order mark is the library's to read as well. */
function maySpellPoison(text: string): boolean {
  return text.includes('\\u') || text.includes('__proto__') || text.includes('constructor') || text.startsWith('\uFEFF')
}

/** Bytes from which on it pays to look at them before they are decoded. */
const longMessage = 32 * 1024

/** What is not ASCII, V8 decodes at some 150 MB/s: for a long message a third of its whole time. */
function decodeLong(bytes: Buffer): string {
  const isSlow = !isAscii(bytes) && isUtf8(bytes)
  return isSlow ? transcode(bytes, 'utf8', 'utf16le').toString('utf16le') : bytes.toString('utf8')
}

/** How much a message may hold: what takes long to parse and to check is not its bytes, but its parts. */
export interface JsonBounds {
  /** Levels of nested objects and arrays. */
  readonly maxDepth: number
  /** Members of all objects together. */
  readonly maxKeys: number
  /** Items of all arrays together. */
  readonly maxItems: number
}

/**
 * Refuses JSON that holds more than it may. Comes before the parse: one pass here protects that and every walk after it.
 * Text that is no JSON may pass; whatever there is of JSON in it is within the bounds then.
 *
 * @throws MessageTooLarge
 */
export function checkBounds(text: string, bounds: JsonBounds): void {
  // Most messages are short and have few brackets: that takes a seventh of measuring them.
  if (mayBeDeeper(text, bounds.maxDepth) || mayHaveMore(text, bounds)) measure(text, bounds)
}

/** No text is deeper than it has opening brackets. */
function mayBeDeeper(text: string, maxDepth: number): boolean {
  let brackets = 0
  for (const bracket of ['{', '[']) {
    for (let index = text.indexOf(bracket); index !== -1; index = text.indexOf(bracket, index + 1)) {
      brackets++
      if (brackets > maxDepth) return true
    }
  }
  return false
}

/** The shortest member is `"":0`, the shortest item a digit, and something stands before each. */
function mayHaveMore(text: string, { maxKeys, maxItems }: JsonBounds): boolean {
  if (text.length > 5 * maxKeys && count(text, ':', maxKeys) > maxKeys) return true
  return text.length > 2 * maxItems && count(text, ',', maxItems) + count(text, '[', maxItems) > maxItems
}

/** Stops when there are more than `limit`. */
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
  // Members and items: one before each comma, and one before the end of what is not empty.
  let parts = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    else if (code === comma) parts++
    else if (code === colon) keys++
    else if (isOpening(code)) {
      depth++
      if (depth > maxDepth) throw refused(`JSON nested deeper than ${maxDepth} levels`)
      if (!isClosing(text.charCodeAt(afterBlanks(text, index + 1)))) parts++
    } else if (isClosing(code)) depth--
  }
  if (keys > maxKeys) throw refused(`the objects of a message have at most ${maxKeys} keys together`)
  if (parts - keys > maxItems) throw refused(`the arrays of a message have at most ${maxItems} items together`)
}

function refused(reason: string): MessageTooLarge {
  return new MessageTooLarge(`Invalid Request: ${reason}`)
}

/**
 * Replaces ids that no `number` holds exactly, such as those of clients with 64-bit counters, with `bigint`s: a client
 * compares the id of an answer with its own. The same for progress tokens, and for the id that a cancellation names.
 *
 * @param message As `JSON.parse` returned it; changed in place.
 * @param text What it was parsed from.
 */
export function restoreIds(message: unknown, text: string): void {
  if (Array.isArray(message) ? message.some(hasLongId) : hasLongId(message)) {
    const exact: unknown = JSON.parse(quoteLongIntegers(text).trim())
    if (!Array.isArray(message)) restore(message, exact)
    else for (const [index, part] of message.entries()) restore(part, (exact as unknown[])[index])
  }
}

function hasLongId(message: unknown): boolean {
  if (!isJsonObject(message)) return false
  const { id, params } = message
  if (isLong(id)) return true
  if (!isJsonObject(params)) return false
  if (isLong(params['requestId'])) return true
  const meta = params['_meta']
  return isJsonObject(meta) && isLong(meta['progressToken'])
}

function isLong(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value)
}

function restore(message: unknown, exact: unknown): void {
  if (!isJsonObject(message) || !isJsonObject(exact)) return
  restoreMember(message, exact, 'id')
  const [params, exactParams] = [message['params'], exact['params']]
  if (!isJsonObject(params) || !isJsonObject(exactParams)) return
  // Another method may have a parameter with this name.
  if (message['method'] === 'notifications/cancelled') restoreMember(params, exactParams, 'requestId')
  const [meta, exactMeta] = [params['_meta'], exactParams['_meta']]
  if (isJsonObject(meta) && isJsonObject(exactMeta)) restoreMember(meta, exactMeta, 'progressToken')
}

/** One that was written with an exponent stays the number that it is. */
function restoreMember(object: JsonObject, exact: JsonObject, name: string): void {
  const digits = exact[name]
  if (isLong(object[name]) && typeof digits === 'string') (object as Record<string, unknown>)[name] = BigInt(digits)
}

/** Digits from which on an integer may be no safe one. */
const longLength = 16

const number = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y

/** The same JSON with long integers as strings. */
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
