import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { atReference } from './json-pointer.js'
import { allSchemas } from './subschemas.js'

/**
 * Whether a chain of references leads back to where it began without going into the value. Such a schema compiles, and the
 * check of a value then never ends: `{ "$ref": "#" }`. A list whose items are lists again is fine.
 */
export function hasEndlessReference(root: JsonObject): boolean {
  const schemas = allSchemas(root)
  const follow = (reference: unknown): unknown =>
    typeof reference === 'string' ? atReference(root, reference) : undefined

  const finished = new Set<JsonObject>()
  const open = new Set<JsonObject>()
  const isEndless = (schema: unknown): boolean => {
    if (!isJsonObject(schema) || finished.has(schema)) return false
    if (open.has(schema)) return true
    open.add(schema)
    const found = appliedInPlace(schema).some(isEndless) || referencesOf(schema).map(follow).some(isEndless)
    open.delete(schema)
    finished.add(schema)
    return found
  }
  return schemas.some(isEndless)
}

/** The last one is of 2019-09, and followed all the same. */
function referencesOf({ $ref, $recursiveRef }: JsonObject): readonly unknown[] {
  return [$ref, $recursiveRef]
}

/** What a schema checks the same value with. */
function appliedInPlace(schema: JsonObject): readonly unknown[] {
  const { allOf = [], anyOf = [], oneOf = [], not, if: condition, then, else: otherwise, dependentSchemas } = schema
  const dependent = isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : []
  return [allOf, anyOf, oneOf, not, condition, then, otherwise, ...dependent].flat()
}
