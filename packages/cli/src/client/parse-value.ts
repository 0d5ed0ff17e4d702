import { BadValue, parseExactly, readNumber } from './exact-json.js'
import { allowedValues, itemsOf, maxArrayDepth, type Schema, typesOf } from './schema-types.js'

/**
 * Parses a text by the type that the schema requires. Without a type, JSON is parsed, and all other texts are strings.
 *
 * @param depth Number of arrays around the value.
 * @throws BadValue that says what was expected.
 */
export function parseValue(text: string, schema: Schema, root: Schema, depth = 0): unknown {
  const values = allowedValues(schema, root)
  if (values !== null) {
    const found = values.find(
      (value) => value === text || (typeof value !== 'string' && JSON.stringify(value) === text),
    )
    if (found !== undefined) return found
    throw new BadValue(`must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`)
  }
  const types = typesOf(schema, root)
  if (types.length === 0) {
    const parsed = parseJson(text)
    return parsed === undefined ? text : parsed
  }
  if (depth > maxArrayDepth) throw new BadValue('must be a JSON array')
  const ordered = order.filter((type) => types.includes(type))
  for (const type of ordered) {
    const parsed = parsers[type]({ text, schema, root, depth, canBeText: types.includes('string') })
    if (parsed !== undefined) return parsed
  }
  throw new BadValue(`must be ${types.map((type) => names[type] ?? type).join(' or ')}`)
}

/** Types in the order in which they are tried. Each text is a string, and each text can be the only item of an array. */
const order = ['null', 'boolean', 'integer', 'number', 'object', 'array', 'string'] as const

interface Given {
  readonly text: string
  readonly schema: Schema
  readonly root: Schema
  readonly depth: number
  readonly canBeText: boolean
}

/** Parsers by type. Each parser returns `undefined` for a text of another type. */
const parsers: Readonly<Record<(typeof order)[number], (given: Given) => unknown>> = {
  string: ({ text }) => text,
  number: parseNumber,
  integer: (given) => {
    const value = parseNumber(given)
    return Number.isInteger(value) ? value : undefined
  },
  boolean: ({ text }) => ({ true: true, false: false })[text],
  null: ({ text }) => (text === 'null' ? null : undefined),
  object: ({ text }) => {
    const value = /^\s*\{/.test(text) ? parseJson(text) : undefined
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  },
  array: ({ text, schema, root, depth }) => {
    const items = itemsOf(schema, root)
    const value = /^\s*\[/.test(text) ? parseJson(text) : undefined
    const isOneItem = Array.isArray(value) && !fits(value, schema, root) && fits(value, items, root)
    if (Array.isArray(value) && !isOneItem) return value
    return [parseValue(text, items, root, depth + 1)]
  },
}

/** Parses a number. If strings are accepted too, texts such as `007` and `+49` stay texts. */
function parseNumber({ text, canBeText }: Given): number | undefined {
  return canBeText && String(Number(text)) !== text ? undefined : readNumber(text)
}

/** Whether a value has the type of a schema. Of arrays, the first item is compared. */
function fits(value: unknown, schema: Schema, root: Schema, depth = 0): boolean {
  const types = typesOf(schema, root)
  if (types.length === 0 || depth > maxArrayDepth) return true
  if (!Array.isArray(value)) {
    const type = value === null ? 'null' : typeof value
    return types.includes(type) || (type === 'number' && types.includes('integer'))
  }
  return types.includes('array') && (value.length === 0 || fits(value[0], itemsOf(schema, root), root, depth + 1))
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
    return parseExactly(text)
  } catch (error) {
    if (error instanceof BadValue) throw error
    return undefined
  }
}
