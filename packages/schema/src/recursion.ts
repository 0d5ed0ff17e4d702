import { isJsonObject, type JsonObject } from './json.js'
import type { Resolved } from './resolve-references.js'
import { objectsIn, subschemasOf } from './subschemas.js'
import type { Targets } from './typebox.js'

/**
 * The recursive parts of a schema: parts that apply to a value and again to its inner parts. The references of a schema with very
 * many paths are also treated as recursive.
 */
export interface Recursion {
  readonly follow: (part: JsonObject) => unknown
  readonly isCycle: (part: JsonObject) => boolean
  readonly isRecursive: (part: unknown) => boolean
  readonly reaches: (from: unknown, to: JsonObject) => boolean
}

export function findRecursion({ root, targets, parts }: Resolved): Recursion | null {
  if (Object.keys(targets).length === 0) return null
  const follow = createFollow(targets)
  const references = parts.filter((part) => '$ref' in part)
  const reachedFrom = (start: unknown): ReadonlySet<JsonObject> => {
    const reached = new Set(objectsIn([start]))
    // A set also iterates over the parts that are added meanwhile.
    for (const part of reached) {
      for (const inner of objectsIn([...subschemasOf(part), follow(part)])) reached.add(inner)
    }
    return reached
  }
  const closed = new Set(references.filter((part) => reachedFrom(follow(part)).has(part)))
  // Even references without a cycle can multiply the work: unions of 20 nested definitions have a million paths.
  if (countPaths(root, (part) => (closed.has(part) ? undefined : follow(part))) > maxPaths) {
    for (const part of references) closed.add(part)
  }
  if (closed.size === 0) return null
  const known = new Map<JsonObject, boolean>()
  return {
    follow,
    isCycle: (part) => closed.has(part),
    reaches: (from, to) => reachedFrom(from).has(to),
    isRecursive: (part) => {
      if (!isJsonObject(part)) return false
      let found = known.get(part)
      if (found === undefined) {
        found = [...reachedFrom(part)].some((inner) => closed.has(inner))
        known.set(part, found)
      }
      return found
    },
  }
}

function createFollow(targets: Targets): Recursion['follow'] {
  return ({ $ref }) => (typeof $ref === 'string' ? targets[$ref] : undefined)
}

/**
 * Maximum number of paths through a schema. For schemas with more paths, the work of each check is limited. A check of this
 * number of paths takes a few milliseconds.
 */
const maxPaths = 10_000

function countPaths(root: JsonObject, targetOf: (part: JsonObject) => unknown): number {
  const known = new Map<JsonObject, number>()
  const count = (part: unknown): number => {
    if (!isJsonObject(part)) return 0
    let paths = known.get(part)
    if (paths === undefined) {
      paths = [...subschemasOf(part), targetOf(part)].reduce<number>((sum, inner) => sum + count(inner), 1)
      known.set(part, paths)
    }
    return paths
  }
  return count(root)
}

/**
 * Whether a part refers to itself, directly or through other references, for the same value: `{ "$ref": "#" }`. Such a schema
 * compiles, but its check never ends. Recursion into items or properties is valid.
 */
export function hasEndlessReference({ targets, parts }: Resolved): boolean {
  if (Object.keys(targets).length === 0) return false
  const follow = createFollow(targets)
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
  return parts.some(isEndless)
}

function appliedInPlace(schema: JsonObject): readonly unknown[] {
  const { allOf = [], anyOf = [], oneOf = [], not, if: condition, then, else: otherwise, dependentSchemas } = schema
  const dependent = isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : []
  return [allOf, anyOf, oneOf, not, condition, then, otherwise, ...dependent].flat()
}
