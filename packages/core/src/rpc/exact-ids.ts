import { endOfString, quote } from './json-text.js'
import { isJsonObject, type JsonObject } from './messages.js'

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
