import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { createFollow, referencesOf } from './references.js'
import { allSchemas } from './subschemas.js'

/**
 * Whether a chain of references leads back to its start without descending into the value, such as `{ "$ref": "#" }`.
 * Such a schema compiles, but its check never ends. Recursion into items or properties is valid.
 */
export function hasEndlessReference(root: JsonObject): boolean {
  const schemas = allSchemas(root)
  const follow = createFollow(root)

  const finished = new Set<JsonObject>()
  const open = new Set<JsonObject>()
  const isEndless = (schema: unknown): boolean => {
    if (!isJsonObject(schema) || finished.has(schema)) return false
    if (open.has(schema)) return true
    open.add(schema)
    const found = appliedInPlace(schema).some(isEndless) || referencesOf(schema).flatMap(follow).some(isEndless)
    open.delete(schema)
    finished.add(schema)
    return found
  }
  return schemas.some(isEndless)
}

/** Returns the subschemas that apply to the same value. */
function appliedInPlace(schema: JsonObject): readonly unknown[] {
  const { allOf = [], anyOf = [], oneOf = [], not, if: condition, then, else: otherwise, dependentSchemas } = schema
  const dependent = isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : []
  return [allOf, anyOf, oneOf, not, condition, then, otherwise, ...dependent].flat()
}
