// The JSON Schema keyword has this name.
// oxlint-disable unicorn/no-thenable
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { findRecursion, type Recursion } from './references.js'
import { areDisjoint, shallowOf } from './shallow-schema.js'
import { allSchemas, copyWith, mapSubschemas } from './subschemas.js'

/**
 * Returns an equivalent schema for validators. In a recursive union, the parts that distinguish the branches are
 * checked before the inner parts: if a validator enters every branch, its work doubles with each level of the value.
 *
 * @param step The schema that counts a step of the check.
 * @returns `null` for a schema that is not recursive.
 */
export function withBoundedRecursion<Schema extends object>(root: Schema, step: JsonObject): Schema | null {
  const recursion = findRecursion(root as JsonObject)
  if (recursion === null) return null
  const convert = (part: JsonObject): JsonObject => {
    const copy = copyWith(part, mapSubschemas(part, convert))
    const checks = unionsOf(part).filter(({ branches }) => branches.some(recursion.isRecursive))
    const parts: JsonObject[] = checks.map(({ keyword, branches }) => {
      const converted = copy[keyword] as readonly JsonObject[]
      delete copy[keyword]
      return toBounded(keyword, branches, converted, recursion)
    })
    if (recursion.isCycle(part)) {
      const { $ref, $dynamicRef, $recursiveRef } = copy
      const reference = Object.entries({ $ref, $dynamicRef, $recursiveRef }).filter(([, value]) => value !== undefined)
      for (const [keyword] of reference) delete copy[keyword]
      parts.push(step, Object.fromEntries(reference))
    }
    if (parts.length === 0) return copy
    const { allOf = [] } = copy
    copy['allOf'] = [...(allOf as readonly JsonObject[]), ...parts]
    return copy
  }
  return convert(root as JsonObject) as Schema
}

type UnionKeyword = 'anyOf' | 'oneOf'

interface Union {
  readonly keyword: UnionKeyword
  readonly branches: readonly unknown[]
}

function unionsOf(part: JsonObject): readonly Union[] {
  return (['anyOf', 'oneOf'] as const).flatMap((keyword) => {
    const branches = part[keyword]
    return Array.isArray(branches) ? [{ keyword, branches }] : []
  })
}

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
  // No value matches two branches. The first branch whose shallow part matches is therefore the only one to enter, and
  // to describe in errors.
  return at.reduceRight<JsonObject>((rest, index) => ({ if: shallow[index], then: converted[index], else: rest }), {
    [keyword]: shallow,
  })
}

/**
 * Finds recursive unions that validators cannot check without entering a member more than once.
 *
 * @returns The ambiguous member of each such union.
 */
export function findAmbiguousUnions(root: JsonObject): readonly string[] {
  const recursion = findRecursion(root)
  if (recursion === null) return []
  const found = new Set<string>()
  for (const part of allSchemas(root)) {
    for (const { branches } of unionsOf(part)) {
      const comesBack = (inner: unknown): boolean => recursion.reaches(inner, part)
      const member = findAmbiguous(branches.filter(isJsonObject).filter(comesBack), comesBack, recursion)
      if (member !== undefined) found.add(member)
    }
  }
  return [...found]
}

type Predicate = (part: unknown) => boolean

/** @returns The member in which two branches both recurse before a check distinguishes them. */
function findAmbiguous(
  branches: readonly JsonObject[],
  comesBack: Predicate,
  recursion: Recursion,
): string | undefined {
  const early = branches.map((branch) => earlyOf(branch, comesBack, recursion))
  for (const [index, a] of early.entries()) {
    for (const b of early.slice(index + 1)) {
      const shared = a.members.find((name) => b.members.includes(name))
      if (shared !== undefined && !areDisjoint(a.before, b.before)) return shared
    }
  }
  return undefined
}

interface Early {
  /** Checks that come before the first recursive member. */
  readonly before: JsonObject
  readonly members: readonly string[]
}

function earlyOf(branch: JsonObject, comesBack: Predicate, recursion: Recursion): Early {
  const { $ref, allOf, properties, items, prefixItems = items, ...rest } = branch
  const [target, ...others] = recursion.follow($ref)
  if (isJsonObject(target) && others.length === 0) return earlyOf(target, comesBack, recursion)
  const named = isJsonObject(properties) ? Object.entries(properties) : []
  const members = named.filter(([, part]) => comesBack(part)).map(([name]) => name)
  if ([prefixItems].flat().some(comesBack)) members.push('(items)')
  if ([rest['additionalProperties'], rest['patternProperties']].some(comesBack)) members.push('(any member)')
  const parts = Array.isArray(allOf) ? allOf.filter(isJsonObject) : []
  const inParts = parts.map((part) => earlyOf(part, comesBack, recursion))
  const firstPart = members.length > 0 ? -1 : inParts.findIndex((part) => part.members.length > 0)
  const shallow = {
    ...rest,
    properties: Object.fromEntries(
      untilFirst(
        named,
        ([, part]) => comesBack(part),
        ([name]) => [name, {}],
      ),
    ),
    ...(Array.isArray(prefixItems) ? { prefixItems: untilFirst(prefixItems, comesBack, () => ({})) } : {}),
  }
  return {
    before: {
      ...shallowOf(shallow, recursion),
      allOf: inParts
        .slice(0, firstPart < 0 && members.length === 0 ? undefined : firstPart + 1)
        .map(({ before }) => before),
    },
    members: [...members, ...inParts.flatMap((part) => part.members)],
  }
}

/** Keeps all items before the first match, and replaces the rest. */
function untilFirst<Item>(
  list: readonly Item[],
  isFirst: (item: Item) => boolean,
  replace: (item: Item) => Item,
): readonly Item[] {
  const first = list.findIndex(isFirst)
  return first < 0 ? list : list.map((item, index) => (index < first ? item : replace(item)))
}
