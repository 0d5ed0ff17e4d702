import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { toPointerKey } from './json-pointer.js'

/** Keywords whose value is data. The members of such a value are not keywords. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples', 'required'])

/** Keywords whose value is an object of schemas. The names of its members are not keywords. */
const nameKeywords = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

type Convert = (schema: JsonObject, path: string) => unknown

/**
 * Converts the direct subschemas of a schema: single, in arrays, and named. The path is a JSON Pointer without the
 * leading slash.
 */
export function mapSubschemas(schema: JsonObject, convert: Convert): JsonObject {
  const mapped: Record<string, unknown> = {}
  for (const key of Object.keys(schema)) {
    const value = schema[key]
    if (dataKeywords.has(key)) mapped[key] = value
    else if (nameKeywords.has(key) && isJsonObject(value)) mapped[key] = mapNamed(value, key, convert)
    else mapped[key] = mapAny(value, key, convert)
  }
  return mapped
}

function mapNamed(schemas: JsonObject, path: string, convert: Convert): JsonObject {
  const entries = Object.keys(schemas).map(
    (name) => [name, mapAny(schemas[name], `${path}/${toPointerKey(name)}`, convert)] as const,
  )
  // Uses `fromEntries` instead of assignments, because a property can have the name `__proto__`.
  return Object.fromEntries(entries)
}

function mapAny(value: unknown, path: string, convert: Convert): unknown {
  if (Array.isArray(value)) return value.map((item, index) => mapAny(item, `${path}/${index}`, convert))
  // A RegExp is a pattern of TypeBox, not a subschema.
  return isJsonObject(value) && !(value instanceof RegExp) ? convert(value, path) : value
}

/**
 * Copies a schema with some of its parts changed, inner parts first. Returns the schema itself if no part matches.
 *
 * @param change Returns the new part. Receives a copy of a matching part, and the original part. Only the copy is allowed to be
 * changed.
 */
export function changeParts(
  schema: JsonObject,
  isMeant: (part: JsonObject) => boolean,
  change: (copy: Record<string, unknown>, part: JsonObject) => JsonObject,
): JsonObject {
  if (!allSchemas(schema).some(isMeant)) return schema
  const convert = (part: JsonObject): JsonObject => {
    const copy = copyWith(part, mapSubschemas(part, convert))
    return isMeant(part) ? change(copy, part) : copy
  }
  return convert(schema)
}

/** Copies a part including non-enumerable members, in which TypeBox stores type information. */
export function copyWith(part: JsonObject, members: JsonObject): Record<string, unknown> {
  const own = Object.getOwnPropertyDescriptors<JsonObject>(part)
  return Object.defineProperties({}, { ...own, ...Object.getOwnPropertyDescriptors<JsonObject>(members) })
}

export function allSchemas(root: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = []
  collectSchema(root, found)
  return found
}

export function subschemasOf(schema: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = []
  for (const key of Object.keys(schema)) {
    const value = schema[key]
    if (dataKeywords.has(key)) continue
    if (nameKeywords.has(key) && isJsonObject(value)) for (const inner of Object.values(value)) addSchemas(inner, found)
    else addSchemas(value, found)
  }
  return found
}

function collectSchema(schema: JsonObject, found: JsonObject[]): void {
  found.push(schema)
  for (const inner of subschemasOf(schema)) collectSchema(inner, found)
}

function addSchemas(value: unknown, found: JsonObject[]): void {
  if (Array.isArray(value)) for (const item of value) addSchemas(item, found)
  else if (isJsonObject(value) && !(value instanceof RegExp)) found.push(value)
}

/** Returns the value of a keyword if the value is a list, otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the schemas in the value of a keyword if the value is a list, otherwise an empty list. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return listOf(value).filter(isJsonObject)
}
