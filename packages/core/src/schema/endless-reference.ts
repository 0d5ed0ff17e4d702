import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { atPointer } from './json-pointer.js'
import { allSchemas } from './subschemas.js'

/**
 * Whether a chain of `$ref`s leads back to where it began without going into the value. Such a schema compiles, and the
 * check of a value then never ends: `{ "$ref": "#" }`. A list whose items are lists again is fine.
 */
export function hasEndlessReference(root: JsonObject): boolean {
  const schemas = allSchemas(root)
  const named = new Map<string, JsonObject>()
  for (const schema of schemas) {
    const { $id, $anchor } = schema
    if (typeof $id === 'string') named.set($id, schema)
    if (typeof $anchor === 'string') named.set(`#${$anchor}`, schema)
  }
  const follow = ({ $ref }: JsonObject): unknown => {
    if (typeof $ref !== 'string') return undefined
    return named.get($ref) ?? ($ref.startsWith('#') ? atPointer(root, decodeURIComponent($ref.slice(1))) : undefined)
  }

  const finished = new Set<JsonObject>()
  const open = new Set<JsonObject>()
  const isEndless = (schema: unknown): boolean => {
    if (!isJsonObject(schema) || finished.has(schema)) return false
    if (open.has(schema)) return true
    open.add(schema)
    const found = appliedInPlace(schema).some(isEndless) || isEndless(follow(schema))
    open.delete(schema)
    finished.add(schema)
    return found
  }
  return schemas.some(isEndless)
}

/** What a schema checks the same value with. */
function appliedInPlace(schema: JsonObject): readonly unknown[] {
  const { allOf = [], anyOf = [], oneOf = [], not, if: condition, then, else: otherwise, dependentSchemas } = schema
  const dependent = isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : []
  return [allOf, anyOf, oneOf, not, condition, then, otherwise, ...dependent].flat()
}
