import { areDisjoint } from './are-disjoint.js'
import { isJsonObject, type JsonObject } from './json.js'
import { withLocalReferences } from './local-references.js'
import { findRecursion, type Recursion } from './recursion.js'
import { resolveReferences } from './resolve-references.js'
import { shallowOf } from './shallow-part.js'
import { allSchemas, objectsIn } from './subschemas.js'
import { unionsOf } from './unions.js'

/**
 * Finds recursive unions in which a validator can enter the same member more than once.
 *
 * @returns The ambiguous member of each such union.
 */
export function findAmbiguousUnions(wire: JsonObject): readonly string[] {
  const root = withLocalReferences(wire, true).local
  const recursion = findRecursion(resolveReferences(root))
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
  const { $ref: _, allOf, properties, items, prefixItems = items, ...rest } = branch
  const target = recursion.follow(branch)
  if (isJsonObject(target)) return earlyOf(target, comesBack, recursion)
  const named = isJsonObject(properties) ? Object.entries(properties) : []
  const isEarly = ([, part]: [string, unknown]): boolean => comesBack(part)
  const members = named.filter(isEarly).map(([name]) => name)
  if ([prefixItems].flat().some(comesBack)) members.push('(items)')
  if ([rest['additionalProperties'], rest['patternProperties']].some(comesBack)) members.push('(any member)')
  const inParts = objectsIn(allOf).map((part) => earlyOf(part, comesBack, recursion))
  const firstPart = members.length > 0 ? -1 : inParts.findIndex((part) => part.members.length > 0)
  const shallow = {
    ...rest,
    properties: Object.fromEntries(untilFirst(named, isEarly, ([name]) => [name, {}])),
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

function untilFirst<Item>(
  list: readonly Item[],
  isFirst: (item: Item) => boolean,
  replace: (item: Item) => Item,
): readonly Item[] {
  const first = list.findIndex(isFirst)
  return first < 0 ? list : list.map((item, index) => (index < first ? item : replace(item)))
}
