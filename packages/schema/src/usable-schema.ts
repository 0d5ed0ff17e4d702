import { compileJsonSchema } from './compile-schema.js'
import { hasDialect } from './dialects.js'
import { isJsonObject, type JsonObject } from './json.js'
import { atReference } from './json-pointer.js'
import { changeParts } from './subschemas.js'

/**
 * Copies a JSON Schema without its invalid parts: unknown dialects, invalid keywords, and references to other documents. A schema
 * that stays invalid becomes `{}`. Never throws.
 */
export function toUsableSchema(schema: unknown): JsonObject {
  const given = copyOf(schema)
  const copy = isUsable(given) ? given : withoutInvalidParts(given)
  return isUsable(copy) ? copy : {}
}

function copyOf(schema: unknown): JsonObject {
  try {
    const read: unknown = JSON.parse(JSON.stringify(schema))
    if (!isJsonObject(read)) return {}
    const { $schema: _, ...copy } = read
    return hasDialect(read) ? read : copy
  } catch {
    return {}
  }
}

function isUsable(schema: JsonObject): boolean {
  try {
    compileJsonSchema(schema)
    return true
  } catch {
    return false
  }
}

/** Checks each keyword alone, inner parts first, because an error of the whole schema does not name its place reliably. */
function withoutInvalidParts(schema: JsonObject): JsonObject {
  return changeParts(
    schema,
    () => true,
    (part) => Object.fromEntries(Object.entries(part).filter(([keyword, value]) => isValid(keyword, value, schema))),
  )
}

function isValid(keyword: string, value: unknown, root: JsonObject): boolean {
  if (keyword === '$ref') return typeof value === 'string' && isJsonObject(atReference(root, value))
  return isUsable({ [keyword]: withoutReferences(value) })
}

/** References of inner parts were checked with the whole schema: a keyword alone has no definitions to refer to. */
function withoutReferences(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => (key === '$ref' ? undefined : member))
}
