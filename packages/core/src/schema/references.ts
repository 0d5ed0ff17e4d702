import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { atReference } from './json-pointer.js'
import { allSchemas, subschemasOf } from './subschemas.js'

/** Resolves a reference to all parts of the schema that it may refer to, because TypeBox reuses names. */
export type FollowReference = (reference: unknown) => readonly unknown[]

function createFollow(root: JsonObject): FollowReference {
  const named = new Map<string, JsonObject[]>()
  const add = (name: string, schema: JsonObject): void => {
    const known = named.get(name)
    if (known === undefined) named.set(name, [schema])
    else known.push(schema)
  }
  for (const schema of allSchemas(root)) {
    const { $id, $anchor, $dynamicAnchor } = schema
    if (typeof $id === 'string') add($id, schema)
    if (typeof $anchor === 'string') add(`#${$anchor}`, schema)
    if (typeof $dynamicAnchor === 'string') add(`#${$dynamicAnchor}`, schema)
  }
  return (reference) => {
    if (typeof reference !== 'string') return []
    const target = atReference(root, reference)
    return named.get(reference) ?? (target === undefined ? [] : [target])
  }
}

/** Returns the references that apply to the same value. Follows `$recursiveRef`, too, although it is from 2019-09. */
export function referencesOf({ $ref, $dynamicRef, $recursiveRef }: JsonObject): readonly unknown[] {
  return [$ref, $dynamicRef, $recursiveRef].filter((reference) => reference !== undefined)
}

/** The recursive parts of a schema: parts that apply to a value and again to its inner parts. */
export interface Recursion {
  readonly follow: FollowReference
  /** Whether the part has a reference that leads back to the part. */
  readonly isCycle: (part: JsonObject) => boolean
  /** Whether the part reaches such a reference. */
  readonly isRecursive: (part: unknown) => boolean
  /** Whether a check of `from` can reach `to`. */
  readonly reaches: (from: unknown, to: JsonObject) => boolean
}

/** Finds the recursion of a schema; `null` if the schema is not recursive. */
export function findRecursion(root: JsonObject): Recursion | null {
  const parts = allSchemas(root)
  const references = parts.filter((part) => referencesOf(part).length > 0)
  if (references.length === 0) return null
  const follow = createFollow(root)
  const reachedFrom = (starts: readonly unknown[]): ReadonlySet<JsonObject> => {
    const reached = new Set<JsonObject>()
    const open = [...starts]
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (!isJsonObject(part) || reached.has(part)) continue
      reached.add(part)
      open.push(...subschemasOf(part), ...referencesOf(part).flatMap(follow))
    }
    return reached
  }
  const isClosed = (part: JsonObject): boolean =>
    referencesOf(part).some((reference) => {
      const targets = follow(reference)
      // A reference that cannot be followed may lead anywhere.
      return targets.length === 0 || reachedFrom(targets).has(part)
    })
  const closed = new Set(references.filter(isClosed))
  if (closed.size === 0) return null
  const known = new Map<JsonObject, boolean>()
  return {
    follow,
    isCycle: (part) => closed.has(part),
    reaches: (from, to) => reachedFrom([from]).has(to),
    isRecursive: (part) => {
      if (!isJsonObject(part)) return false
      let found = known.get(part)
      if (found === undefined) {
        found = [...reachedFrom([part])].some((inner) => closed.has(inner))
        known.set(part, found)
      }
      return found
    },
  }
}

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
