import { allowedValues, itemsOf, type Schema, typesOf } from './schema-types.js'

/** A string that does not match the schema. */
export class BadValue extends Error {}

/**
 * Parses a text by the type that the schema requires. Without a type, JSON is parsed, and all other texts are strings.
 *
 * @throws BadValue that says what was expected.
 */
export function parseValue(text: string, schema: Schema, root: Schema): unknown {
  const values = allowedValues(schema, root)
  if (values !== null) {
    const found = values.find(
      (value) => value === text || (typeof value !== 'string' && JSON.stringify(value) === text),
    )
    if (found !== undefined) return found
    throw new BadValue(`must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`)
  }
  const types = typesOf(schema, root)
  if (types.length === 0) return parseJson(text) ?? text
  // Strings are tried last, because every text is a valid string.
  const ordered = types.toSorted((one, other) => Number(one === 'string') - Number(other === 'string'))
  for (const type of ordered) {
    const parsed = parsers[type]?.(text, schema, root)
    if (parsed !== undefined) return parsed
  }
  throw new BadValue(`must be ${ordered.map((type) => names[type] ?? type).join(' or ')}`)
}

type Parser = (text: string, schema: Schema, root: Schema) => unknown

const numeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** Parsers by type. Each parser returns `undefined` for a text of another type. */
const parsers: Readonly<Record<string, Parser>> = {
  string: (text) => text,
  number: (text) => (numeric.test(text) ? Number(text) : undefined),
  integer: (text) => (numeric.test(text) && Number.isInteger(Number(text)) ? Number(text) : undefined),
  boolean: (text) => ({ true: true, false: false })[text],
  null: (text) => (text === 'null' ? null : undefined),
  object: (text) => {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  },
  array: (text, schema, root) => {
    const value = parseJson(text)
    return Array.isArray(value) ? value : [parseValue(text, itemsOf(schema, root), root)]
  },
}

const names: Readonly<Record<string, string>> = {
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'an array',
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
