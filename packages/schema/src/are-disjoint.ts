import { isJsonObject, type JsonObject } from './json.js'
import { isOneOf } from './keywords.js'
import { objectsIn } from './subschemas.js'

/** Whether no value can match both schemas, as far as a comparison of their keywords tells. */
export function areDisjoint(a: unknown, b: unknown): boolean {
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
