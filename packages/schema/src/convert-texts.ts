import { isJsonObject, type JsonObject } from './json.js'
import { atReference } from './json-pointer.js'
import { collectMembers } from './members.js'
import { listOf, objectsIn } from './subschemas.js'

/** Maximum length of a number in characters. The longest numbers have some 300 digits. */
const longestNumber = 1000

/** Whether the conversion is exact. A long id must not turn into the id of another object. */
function isExact(text: string, value: number): boolean {
  return Number.isSafeInteger(value) || !/^\s*[-+]?\d+\s*$/.test(text) || BigInt(text) === BigInt(value)
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/**
 * Converts strings to numbers, booleans, null and single-item arrays, as the schema requires. Other strings stay strings, so that
 * the check rejects them. A string also stays a string if the schema accepts it, and if no JavaScript number represents an integer
 * exactly.
 */
export function convertTexts(root: JsonObject, texts: JsonObject): JsonObject {
  const { properties } = collectMembers(root)
  const entries = Object.entries(texts).map(([name, text]) => {
    const schemas = properties.get(name)
    return [name, schemas === undefined ? text : convertText(text, schemas, root)] as const
  })
  return Object.fromEntries(entries)
}

function convertText(text: unknown, schemas: readonly JsonObject[], root: JsonObject): unknown {
  const alternatives = schemas.flatMap((schema) => alternativesIn(schema, root))
  const types = new Set(alternatives.flatMap(typesOf))
  if (Array.isArray(text)) {
    const items = itemsOf(alternatives)
    return items.length === 0 ? text : text.map((item) => convertText(item, items, root))
  }
  if (typeof text !== 'string' || text.length > longestNumber || alternatives.some((one) => accepts(one, text)))
    return text
  if ((types.has('number') || types.has('integer')) && text.trim() !== '') {
    const value = Number(text)
    if (Number.isFinite(value) && isExact(text, value)) return value
  }
  if (types.has('boolean')) {
    const value = booleans.get(text.toLowerCase())
    if (value !== undefined) return value
  }
  if (types.has('null') && text === 'null') return null
  const items = itemsOf(alternatives)
  return types.has('array') && items.length > 0 ? [convertText(text, items, root)] : text
}

function accepts(schema: JsonObject, text: string): boolean {
  const { const: only = text, enum: values } = schema
  return typesOf(schema).includes('string') && only === text && (values === undefined || listOf(values).includes(text))
}

function itemsOf(alternatives: readonly JsonObject[]): readonly JsonObject[] {
  return alternatives.flatMap(({ items }) => (isJsonObject(items) ? [items] : []))
}

/** Returns the schemas that a value can match: the schema itself, or its alternatives, with references followed. */
function alternativesIn(schema: JsonObject, root: JsonObject, seen: ReadonlySet<unknown> = new Set()): JsonObject[] {
  if (seen.has(schema)) return []
  const { anyOf, oneOf, allOf, $ref } = schema
  const target = typeof $ref === 'string' ? atReference(root, $ref) : undefined
  const inner = [...objectsIn(anyOf), ...objectsIn(oneOf), ...objectsIn(allOf), ...objectsIn([target])]
  if (inner.length === 0) return [schema]
  const open = new Set([...seen, schema])
  return inner.flatMap((part) => alternativesIn(part, root, open))
}

/** Returns the types that a schema accepts. A schema without types accepts strings. */
function typesOf({ type, const: only, enum: values }: JsonObject): readonly unknown[] {
  if (type !== undefined) return [type].flat()
  const constants = only === undefined ? listOf(values) : [only]
  return constants.length === 0 ? ['string'] : constants.map((value) => (value === null ? 'null' : typeof value))
}
