import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { toPointerKey } from './json-pointer.js'

/** Keywords whose value is data: what looks like a keyword inside it is none. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples', 'required'])

/** Keywords whose value has names that the author chose for its keys, and schemas for its values. */
const nameKeywords = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

type Convert = (schema: JsonObject, path: string) => unknown

/**
 * Converts the schemas directly inside a schema: single ones, lists and named ones. The path is a
 * JSON Pointer without its first slash.
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
  // Not by assignment: a property may be called __proto__.
  return Object.fromEntries(entries)
}

function mapAny(value: unknown, path: string, convert: Convert): unknown {
  if (Array.isArray(value)) return value.map((item, index) => mapAny(item, `${path}/${index}`, convert))
  // TypeBox takes a RegExp for a pattern.
  return isJsonObject(value) && !(value instanceof RegExp) ? convert(value, path) : value
}

/**
 * A copy of a schema in which some of its parts are changed, the inner ones first; the schema itself where there are none.
 *
 * @param change Is given a copy of a part that is meant, to change or to replace, and the part itself.
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

/** What TypeBox knows of a type is in members that are not enumerable. */
export function copyWith(part: JsonObject, members: JsonObject): Record<string, unknown> {
  const own = Object.getOwnPropertyDescriptors<JsonObject>(part)
  return Object.defineProperties({}, { ...own, ...Object.getOwnPropertyDescriptors<JsonObject>(members) })
}

/** A schema and everything inside it that is a schema. */
export function allSchemas(root: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = []
  collectSchema(root, found)
  return found
}

/** The schemas directly inside a schema. */
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
