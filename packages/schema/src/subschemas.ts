import { isJsonObject, type JsonObject } from './json.js'
import { toPointerKey } from './json-pointer.js'

const schemaKeywords = new Set(
  (
    'additionalItems additionalProperties allOf anyOf contains contentSchema else if items not oneOf prefixItems ' +
    'propertyNames then unevaluatedItems unevaluatedProperties'
  ).split(' '),
)

/** Keywords whose value is an object of schemas. The names of its members are not keywords. */
const nameKeywords = new Set('$defs definitions dependencies dependentSchemas patternProperties properties'.split(' '))

export function hasSubschemas(keyword: string): boolean {
  return schemaKeywords.has(keyword) || nameKeywords.has(keyword)
}

type Convert = (schema: JsonObject, path: string) => unknown

/**
 * Converts the direct subschemas of a schema: single, in arrays, and named. The path is a JSON Pointer without the
 * leading slash.
 */
export function mapSubschemas(schema: JsonObject, convert: Convert): JsonObject {
  const mapped: Record<string, unknown> = {}
  for (const key of Object.keys(schema)) {
    const value = schema[key]
    if (schemaKeywords.has(key)) mapped[key] = mapAny(value, key, convert)
    else mapped[key] = nameKeywords.has(key) && isJsonObject(value) ? mapNamed(value, key, convert) : value
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
  return isJsonObject(value) ? convert(value, path) : value
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
  return createConverter((copy, part) => (isMeant(part) ? change(copy, part) : copy))(schema)
}

/**
 * Creates a function that converts the parts of a schema, inner parts first, and each part once.
 *
 * @param change Returns the new part. Receives a copy with converted inner parts, and the original part. Only the copy is allowed to
 * be changed.
 */
export function createConverter(
  change: (copy: Record<string, unknown>, part: JsonObject) => JsonObject,
): (part: JsonObject) => JsonObject {
  const converted = new Map<JsonObject, JsonObject>()
  const convert = (part: JsonObject): JsonObject => {
    const known = converted.get(part)
    if (known !== undefined) return known
    const created = change(copyWith(part, mapSubschemas(part, convert)), part)
    converted.set(part, created)
    return created
  }
  return convert
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
    if (schemaKeywords.has(key)) addSchemas(value, found)
    else if (nameKeywords.has(key) && isJsonObject(value)) addSchemas(Object.values(value), found)
  }
  return found
}

function collectSchema(schema: JsonObject, found: JsonObject[]): void {
  found.push(schema)
  for (const inner of subschemasOf(schema)) collectSchema(inner, found)
}

function addSchemas(value: unknown, found: JsonObject[]): void {
  if (Array.isArray(value)) for (const item of value) addSchemas(item, found)
  else if (isJsonObject(value)) found.push(value)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  return listOf(value).filter(isJsonObject)
}
