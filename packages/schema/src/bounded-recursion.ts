// `then` is a JSON Schema keyword.
// oxlint-disable unicorn/no-thenable
import { areDisjoint } from './are-disjoint.js'
import { isJsonObject, type JsonObject } from './json.js'
import { takeStep } from './max-work.js'
import { findRecursion, type Recursion } from './recursion.js'
import { convertResolved, type Resolved } from './resolve-references.js'
import { shallowOf } from './shallow-part.js'
import { Type } from './typebox.js'
import { type UnionKeyword, unionsOf } from './unions.js'

/**
 * Returns an equivalent schema for validators, which counts a step at each recursive reference. In a recursive union, the new schema
 * first checks the parts that distinguish the branches. Otherwise, the work of a validator that enters every branch would double with
 * each level of the value.
 */
export function withBoundedRecursion(schema: Resolved): Resolved {
  const recursion = findRecursion(schema)
  if (recursion === null) return schema
  return convertResolved(schema, (copy, part) => {
    const checks = unionsOf(part).filter(({ branches }) => branches.some(recursion.isRecursive))
    const parts: JsonObject[] = checks.map(({ keyword, branches }) => {
      const converted = copy[keyword] as readonly JsonObject[]
      delete copy[keyword]
      return toBounded(keyword, branches, converted, recursion)
    })
    if (recursion.isCycle(part)) {
      parts.push(step, { $ref: copy['$ref'] })
      delete copy['$ref']
    }
    if (parts.length === 0) return copy
    const { allOf = [] } = copy
    copy['allOf'] = [...(allOf as readonly JsonObject[]), ...parts]
    return copy
  })
}

const step = Type.Refine(Type.Unknown(), takeStep) as object as JsonObject

function toBounded(
  keyword: UnionKeyword,
  branches: readonly unknown[],
  converted: readonly JsonObject[],
  recursion: Recursion,
): JsonObject {
  const at = [...branches.keys()].filter((index) => recursion.isRecursive(branches[index]))
  const known = branches.map((branch) => (isJsonObject(branch) ? shallowOf(branch, recursion) : branch))
  const isDiscriminated = at.every((a) => known.every((other, b) => a === b || areDisjoint(known[a], other)))
  const shallow = converted.map((branch, index) => (at.includes(index) ? known[index] : branch))
  if (!isDiscriminated) {
    const guarded = converted.map((branch, index) =>
      at.includes(index) ? { if: shallow[index], then: branch, else: shallow[index] } : branch,
    )
    return { [keyword]: guarded }
  }
  // No value matches two branches. Only the first branch whose shallow part matches is entered, and described in errors.
  return at.reduceRight<JsonObject>((rest, index) => ({ if: shallow[index], then: converted[index], else: rest }), {
    [keyword]: shallow,
  })
}
