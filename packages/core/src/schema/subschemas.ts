import { isJsonObject, type JsonObject } from '../rpc/messages.js'

/** Keywords whose value is data: what looks like a keyword inside it is none. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples', 'required'])

/** Keywords whose value has names that the author chose for its keys, and schemas for its values. */
const nameKeywords = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

/** Converts the schemas directly inside a schema, wherever a keyword holds one, a list of them or named ones. */
export function mapSubschemas(schema: JsonObject, convert: (schema: JsonObject, path: string) => unknown): JsonObject {
  const convertAny = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => convertAny(item, `${path}/${index}`))
    return isJsonObject(value) ? convert(value, path) : value
  }
  const convertMember = ([key, value]: readonly [string, unknown]): readonly [string, unknown] => {
    if (dataKeywords.has(key)) return [key, value]
    if (!nameKeywords.has(key) || !isJsonObject(value)) return [key, convertAny(value, key)]
    const named = Object.entries(value).map(([name, member]) => [name, convertAny(member, `${key}/${name}`)])
    return [key, Object.fromEntries(named)]
  }
  return Object.fromEntries(Object.entries(schema).map(convertMember))
}

/** A schema and everything inside it that is a schema. */
export function allSchemas(root: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = []
  const visit = (schema: JsonObject): void => {
    found.push(schema)
    mapSubschemas(schema, visit)
  }
  visit(root)
  return found
}
