import { isJsonObject, type JsonObject } from './json.js'
import type { Recursion } from './recursion.js'
import { listOf, objectsIn } from './subschemas.js'

/** Keywords that are not copied: definitions check nothing, and `unevaluated…` needs the dropped parts. */
const dropped = new Set(['$defs', 'definitions', 'unevaluatedProperties', 'unevaluatedItems'])

/** Keywords that only have a meaning together. */
const groups = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
]

const maxChain = 3

/**
 * Returns the non-recursive part of a schema: every value that matches the schema also matches this part. The check of this part
 * takes time linear in the number of direct members of the value.
 */
export function shallowOf(schema: JsonObject, recursion: Recursion, chain = 0): JsonObject {
  const { isRecursive } = recursion
  const shallow: Record<string, unknown> = {}
  const skipped = new Set(groups.filter((group) => group.some((key) => isRecursive(schema[key]))).flat())
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key) || skipped.has(key)) continue
    const kept = shallowKeyword(key, value, recursion)
    if (kept !== undefined) shallow[key] = kept
  }
  const target = chain < maxChain ? recursion.follow(schema) : undefined
  const parts = objectsIn([...listOf(schema['allOf']), target]).map((part) => shallowOf(part, recursion, chain + 1))
  return parts.length === 0 ? shallow : { ...shallow, allOf: parts }
}

function shallowKeyword(key: string, value: unknown, { isRecursive }: Recursion): unknown {
  if (key === 'allOf' || key === '$ref') return undefined
  const keep = (part: unknown): unknown => (isRecursive(part) ? {} : part)
  // Parts are replaced by `{}`, not removed: `additionalProperties` depends on the property names, and `items` on the number of
  // items in `prefixItems`.
  if ((key === 'properties' || key === 'patternProperties') && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, keep(part)]))
  }
  if ((key === 'prefixItems' || key === 'items') && Array.isArray(value)) return value.map(keep)
  const parts = Array.isArray(value) ? value : isJsonObject(value) ? [value, ...Object.values(value)] : []
  return parts.some(isRecursive) ? undefined : value
}
