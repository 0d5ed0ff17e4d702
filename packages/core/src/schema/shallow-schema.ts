import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { isOneOf } from './json-equality.js'
import { type Recursion, referencesOf } from './references.js'
import { allSchemas } from './subschemas.js'

/** Keywords that would duplicate the name of the original, or that contain no check. */
const dropped = new Set([
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$defs',
  'definitions',
  'unevaluatedProperties',
  'unevaluatedItems',
])

/** Keywords that only have a meaning together. */
const groups = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
]

/** Maximum length of a chain of references that is followed. */
const maxChain = 3

/**
 * Returns the non-recursive part of a schema: every value that matches the schema also matches this part. Its check
 * takes time linear in the direct members of the value.
 */
export function shallowOf(schema: JsonObject, recursion: Recursion, chain = 0): JsonObject {
  const { isRecursive } = recursion
  const shallow: Record<string, unknown> = {}
  const skipped = new Set(groups.filter((group) => group.some((key) => isRecursive(schema[key]))).flat())
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('~') || dropped.has(key) || skipped.has(key)) continue
    const kept = shallowKeyword(key, value, recursion)
    if (kept !== undefined) shallow[key] = kept
  }
  const { allOf } = schema
  const inPlace = Array.isArray(allOf) ? allOf.filter(isJsonObject) : []
  const targets = referencesOf(schema).map(recursion.follow)
  // An ambiguous name gives no information.
  const known = targets.flatMap((found) => (found.length === 1 && chain < maxChain ? found.filter(isJsonObject) : []))
  const parts = [...inPlace, ...known].map((part) => shallowOf(part, recursion, chain + 1))
  return parts.length === 0 ? shallow : { ...shallow, allOf: parts }
}

function shallowKeyword(key: string, value: unknown, { isRecursive }: Recursion): unknown {
  if (key === 'allOf' || key.endsWith('$ref') || key === '$dynamicRef' || key === '$recursiveRef') return undefined
  const keep = (part: unknown): unknown => (isRecursive(part) || hasName(part) ? {} : part)
  // Kept, even if empty: the names matter to `additionalProperties`, and the positions to a following `items`.
  if ((key === 'properties' || key === 'patternProperties') && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, keep(part)]))
  }
  if ((key === 'prefixItems' || key === 'items') && Array.isArray(value)) return value.map(keep)
  const parts = Array.isArray(value) ? value : isJsonObject(value) ? [value, ...Object.values(value)] : []
  return parts.some((part) => isRecursive(part) || hasName(part)) ? undefined : value
}

/** Whether the part has a name, which a copy would duplicate. */
function hasName(part: unknown): boolean {
  if (!isJsonObject(part) || part instanceof RegExp) return false
  return allSchemas(part).some((inner) => '$id' in inner || '$anchor' in inner || '$dynamicAnchor' in inner)
}

/** Whether no value can match both schemas, as far as the schemas state it directly. */
export function areDisjoint(a: unknown, b: unknown): boolean {
  if (a === false || b === false) return true
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const theirs = partsOf(b)
  return partsOf(a).some((one) => theirs.some((other) => excludes(one, other) || excludes(other, one)))
}

function partsOf(schema: JsonObject): readonly JsonObject[] {
  const { allOf } = schema
  return [schema, ...(Array.isArray(allOf) ? allOf.filter(isJsonObject).flatMap(partsOf) : [])]
}

/** Checks one direction. Called for both orders. */
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
 * Whether a member excludes values of both: both require it with disjoint schemas, or one requires it and the other
 * forbids it.
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

/** Whether an item of a tuple excludes values of both, by the same rule. */
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
