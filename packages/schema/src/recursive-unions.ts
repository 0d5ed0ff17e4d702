// `then` is a JSON Schema keyword.
// oxlint-disable unicorn/no-thenable
import { isJsonObject, type JsonObject } from './json.js'
import { isOneOf } from './keywords.js'
import { takeStep } from './max-work.js'
import {
  convertResolved,
  findRecursion,
  type Recursion,
  type Resolved,
  resolveReferences,
  withLocalReferences,
} from './references.js'
import { allSchemas, listOf, objectsIn } from './subschemas.js'
import { Type } from './typebox.js'

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
  // No value matches two branches. Only the first branch whose shallow part matches is entered, and described in errors.
  return at.reduceRight<JsonObject>((rest, index) => ({ if: shallow[index], then: converted[index], else: rest }), {
    [keyword]: shallow,
  })
}

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
function shallowOf(schema: JsonObject, recursion: Recursion, chain = 0): JsonObject {
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

function areDisjoint(a: unknown, b: unknown): boolean {
  if (a === false || b === false) return true
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const theirs = partsOf(b)
  return partsOf(a).some((one) => theirs.some((other) => excludes(one, other) || excludes(other, one)))
}

function partsOf(schema: JsonObject): readonly JsonObject[] {
  return [schema, ...objectsIn(schema['allOf']).flatMap(partsOf)]
}

/** Whether `a` excludes all values of `b`. The caller also checks whether `b` excludes all values of `a`. */
function excludes(a: JsonObject, b: JsonObject): boolean {
  const { anyOf = a['oneOf'] } = a
  if (Array.isArray(anyOf) && anyOf.every((branch) => areDisjoint(branch, b))) return true
  const values = valuesOf(a)
  if (values !== null) {
    const others = valuesOf(b)
    if (others !== null && !values.some(isOneOf(others))) return true
    const types = typesOf(b)
    if (types !== null && !values.some((value) => types.has(typeOf(value)))) return true
  }
  return excludesType(a, b) || excludesMember(a, b) || excludesItem(a, b)
}

function valuesOf({ const: value, enum: values }: JsonObject): readonly unknown[] | null {
  if (Array.isArray(values)) return values
  return value === undefined ? null : [value]
}

function typesOf({ type }: JsonObject): ReadonlySet<unknown> | null {
  if (typeof type === 'string') return new Set([withoutInteger(type)])
  return Array.isArray(type) ? new Set(type.map(withoutInteger)) : null
}

function withoutInteger(type: unknown): unknown {
  return type === 'integer' ? 'number' : type
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function excludesType(a: JsonObject, b: JsonObject): boolean {
  const [types, others] = [typesOf(a), typesOf(b)]
  return types !== null && others !== null && ![...types].some((type) => others.has(type))
}

/**
 * Whether a member prevents a value from matching both schemas. Either both schemas require this member, and its subschemas are
 * disjoint, or one schema requires the member and the other forbids it.
 */
function excludesMember(a: JsonObject, b: JsonObject): boolean {
  if (a['type'] !== 'object' && b['type'] !== 'object') return false
  const theirs = membersOf(b)
  const isClosed = b['additionalProperties'] === false && b['patternProperties'] === undefined
  const others = requiredOf(b)
  return requiredOf(a).some((name) => {
    if (isClosed && !Object.hasOwn(theirs, name)) return true
    return others.includes(name) && areDisjoint(membersOf(a)[name], theirs[name])
  })
}

/**
 * Whether an item of a tuple prevents a value from matching both schemas. Both schemas require this item, and its subschemas are
 * disjoint.
 */
function excludesItem(a: JsonObject, b: JsonObject): boolean {
  if (a['type'] !== 'array' && b['type'] !== 'array') return false
  const present = Math.min(Number(a['minItems'] ?? 0), Number(b['minItems'] ?? 0))
  const theirs = itemsOf(b)
  return itemsOf(a).some((item, index) => index < present && areDisjoint(item, theirs[index]))
}

function itemsOf({ items, prefixItems = items }: JsonObject): readonly unknown[] {
  return Array.isArray(prefixItems) ? prefixItems : []
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required : []
}

function membersOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {}
}
