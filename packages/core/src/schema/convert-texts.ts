import type { JsonObject } from '../rpc/messages.js'
import { Convert, type TSchema } from './typebox.js'

/**
 * Maximum length of a number in characters. The longest numbers have some 300 digits, and TypeBox takes half a second to reject a
 * string of millions of digits.
 */
const longestNumber = 1000

/**
 * Converts strings to numbers, booleans and single-item arrays, as the schema requires. Other strings stay strings, so that the
 * check rejects them. TypeBox would convert `1.5` and `true` to the integer 1, and an empty string to 0. An integer that no
 * JavaScript number represents exactly also stays a string.
 */
export function convertTexts(schema: TSchema, texts: JsonObject): JsonObject {
  const short = Object.entries(texts).filter(([, text]) => !isTooLong(text))
  const converted = Convert(schema, structuredClone(Object.fromEntries(short))) as JsonObject
  const entries = Object.entries(converted).map(([name, value]) => [name, withoutLoss(texts[name], value)] as const)
  return { ...texts, ...Object.fromEntries(entries) }
}

function isTooLong(text: unknown): boolean {
  return Array.isArray(text) ? text.some(isTooLong) : typeof text === 'string' && text.length > longestNumber
}

function withoutLoss(text: unknown, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => withoutLoss(Array.isArray(text) ? text[index] : text, item))
  if (typeof text !== 'string' || typeof value !== 'number') return value
  if (text.trim() !== '' && Number(text) === value && isExact(text, value)) return value
  return booleans.get(text.toLowerCase()) ?? text
}

/** Whether the conversion is exact. A long id must not turn into the id of another object. */
function isExact(text: string, value: number): boolean {
  return Number.isSafeInteger(value) || !/^\s*[-+]?\d+\s*$/.test(text) || BigInt(text) === BigInt(value)
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])
