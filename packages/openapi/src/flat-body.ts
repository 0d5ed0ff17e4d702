import { isJsonObject, type JsonObject } from '@toolwright/core'
import type { Documents, Located } from './documents.js'
import { listAt, ownMember, textAt } from './json.js'
import { subtypesOf } from './subtypes.js'

export interface BodyField {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: Located
}

/** Keywords that describe an object beyond its properties. A body with one of them is one argument. */
const combined = [
  'oneOf',
  'if',
  'then',
  'else',
  'not',
  'patternProperties',
  'propertyNames',
  'dependentSchemas',
  'unevaluatedProperties',
]

/**
 * Returns the properties of a body, or `null` if the body is more than an object with properties: an array, a choice, a map. An
 * object without `properties` can have any.
 *
 * @throws NotLoaded, DocumentError
 */
export function flattenBody(body: Located, documents: Documents): BodyField[] | null {
  const fields = new Map<string, BodyField>()
  const required = new Set<string>()
  if (!collect(body, documents, fields, required, 0)) return null
  return [...fields.values()].map((field) => ({ ...field, isRequired: required.has(field.name) }))
}

/** Collects the properties of a schema and of its `allOf`. Returns whether they describe the whole schema. */
function collect(
  located: Located,
  documents: Documents,
  fields: Map<string, BodyField>,
  required: Set<string>,
  depth: number,
): boolean {
  const { value, document, key } = documents.follow(located.value, located.document, located.key)
  if (!isJsonObject(value) || depth > 16) return false
  if (!isPlainObject(value) || (depth === 0 && subtypesOf({ value, document, key }, documents).length > 0)) return false
  const properties = ownMember(value, 'properties')
  if (depth === 0 && !isJsonObject(properties) && listAt(value, 'allOf').length === 0) return false
  for (const [name, schema] of isJsonObject(properties) ? Object.entries(properties) : []) {
    // A property of two parts has to match both: only one argument for the whole body can say so.
    if (fields.has(name)) return false
    fields.set(name, { name, isRequired: false, schema: { value: schema, document, key: `${key}/properties/${name}` } })
  }
  for (const name of listAt(value, 'required')) if (typeof name === 'string') required.add(name)
  return listAt(value, 'allOf').every((part) =>
    collect({ value: part, document, key }, documents, fields, required, depth + 1),
  )
}

function isPlainObject(schema: JsonObject): boolean {
  const type = schema['type']
  if (type !== undefined && ![type].flat().includes('object')) return false
  if (combined.some((keyword) => keyword in schema) || schema['nullable'] === true) return false
  const additional = ownMember(schema, 'additionalProperties')
  if (isJsonObject(additional) && Object.keys(additional).length > 0) return false
  // GitHub writes "at least one of these properties" as `anyOf` of `required`. The API checks that.
  return listAt(schema, 'anyOf').every(
    (part) => isJsonObject(part) && Object.keys(part).every((name) => name === 'required'),
  )
}

export function isFile(schema: Located, contentType: string | undefined, documents: Documents): boolean {
  const { value } = documents.follow(schema.value, schema.document, schema.key)
  if (!isJsonObject(value)) return false
  const [format, encoding, media] = [
    textAt(value, 'format'),
    textAt(value, 'contentEncoding'),
    textAt(value, 'contentMediaType'),
  ]
  if (format === 'binary' || format === 'byte' || encoding !== undefined) return true
  if (media !== undefined && !isTextType(media)) return true
  return Object.keys(value).length === 0 && contentType !== undefined && !isTextType(contentType)
}

export function isTextType(type: string): boolean {
  return /^text\/|^application\/(?:[^;]*\+)?(?:json|xml)/i.test(type.trim())
}

export function itemsOf(schema: Located, documents: Documents): Located | null {
  const { value, document, key } = documents.follow(schema.value, schema.document, schema.key)
  const items = isJsonObject(value) && [value['type']].flat().includes('array') ? ownMember(value, 'items') : undefined
  return items === undefined ? null : { value: items, document, key: `${key}/items` }
}
