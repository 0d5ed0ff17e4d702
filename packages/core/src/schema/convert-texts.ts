import { isJsonObject } from '../rpc/messages.js'
import { Convert, type TSchema } from './typebox.js'

/**
 * Makes numbers, booleans and lists of one value of texts, where the schema has them. A text that is no number stays as it is,
 * and is refused: TypeBox makes 1 of `1.5` and of `true` for an integer, and 0 of an empty one. So is a whole number that
 * JavaScript has no number for.
 */
export function convertTexts(schema: TSchema, texts: unknown): unknown {
  const converted = Convert(schema, structuredClone(texts))
  if (!isJsonObject(texts) || !isJsonObject(converted)) return converted
  const entries = Object.entries(converted).map(([name, value]) => [name, withoutLoss(texts[name], value)] as const)
  return Object.fromEntries(entries)
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
