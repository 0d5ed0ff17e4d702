import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { createFollow, type FollowReference, referencesOf } from './references.js'
import { allSchemas, subschemasOf } from './subschemas.js'

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
