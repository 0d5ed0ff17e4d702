import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { Convert, type TSchema } from './typebox.js'

/** Characters: the longest numbers have some 300 digits, and TypeBox takes half a second to find that out of millions. */
const longestNumber = 1000

/**
 * Makes numbers, booleans and lists of one value of texts, where the schema has them. A text that is no number stays as it is,
 * and is refused: TypeBox makes 1 of `1.5` and of `true` for an integer, and 0 of an empty one. So is a whole number that
 * JavaScript has no number for.
 */
export function convertTexts(schema: TSchema, texts: unknown): unknown {
  if (!isJsonObject(texts)) return Convert(schema, structuredClone(texts))
  const short = Object.entries(texts).filter(([, text]) => !isLong(text))
  const converted = Convert(schema, structuredClone(Object.fromEntries(short))) as JsonObject
  const entries = Object.entries(converted).map(([name, value]) => [name, withoutLoss(texts[name], value)] as const)
  return { ...texts, ...Object.fromEntries(entries) }
}

function isLong(text: unknown): boolean {
  return Array.isArray(text) ? text.some(isLong) : typeof text === 'string' && text.length > longestNumber
}

function withoutLoss(text: unknown, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => withoutLoss(Array.isArray(text) ? text[index] : text, item))
  if (typeof text !== 'string' || typeof value !== 'number') return value
  if (text.trim() !== '' && Number(text) === value && isExact(text, value)) return value
  return booleans.get(text.toLowerCase()) ?? text
}

/** A long id would become that of something else. */
function isExact(text: string, value: number): boolean {
  return Number.isSafeInteger(value) || !/^\s*[-+]?\d+\s*$/.test(text) || BigInt(text) === BigInt(value)
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])
