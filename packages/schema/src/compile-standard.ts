import { compileJsonSchema, type SchemaDirection } from './compile-schema.js'
import { type CompiledSchema, SchemaError } from './compiled-schema.js'
import { isJsonObject, type JsonObject } from './json.js'
import { isOfObjects } from './members.js'
import { parserOf } from './parse.js'
import type { StandardConverter, StandardSchema } from './standard-schema.js'
import { mapSubschemas } from './subschemas.js'

const dialect = 'https://json-schema.org/draft/2020-12/schema'

/**
 * Compiles a Standard Schema: converts it to JSON Schema, and validates with its library alone.
 *
 * @throws SchemaError if the schema cannot be listed.
 */
export function compileStandard(schema: StandardSchema, direction: SchemaDirection = 'input'): CompiledSchema {
  const listed = list(schema, direction)
  rejectOpenParts(listed)
  // Compiled as an output schema, because the library fills in defaults itself.
  return { ...compileJsonSchema(withRootType(listed), 'output'), parse: parserOf(schema) }
}

function list(schema: StandardSchema, direction: SchemaDirection): JsonObject {
  const { jsonSchema, vendor } = schema['~standard'] as StandardSchema['~standard'] & {
    readonly jsonSchema?: Partial<StandardConverter>
  }
  const convert = jsonSchema?.[direction]
  if (typeof convert !== 'function') {
    const need = needs[vendor] ?? 'Use a version of the library that has it, or give plain JSON Schema'
    throw new SchemaError(
      `is a schema of ${vendor} without the JSON Schema part of Standard Schema (~standard.jsonSchema). ${need}`,
    )
  }
  let converted: unknown
  try {
    // Copied, so that the list contains only JSON.
    converted = JSON.parse(JSON.stringify(convert({ target: 'draft-2020-12' })))
  } catch (error) {
    const places = findPlaces(convert)
    const where = places.length === 0 ? '' : ` at ${quoted(places)}`
    const reason = error instanceof Error ? error.message : String(error)
    throw new SchemaError(
      `cannot be listed as JSON Schema${where}: ${reason}. ${remedies[direction]}`.replaceAll('..', '.'),
    )
  }
  if (!isJsonObject(converted))
    throw new SchemaError(`is listed as ${JSON.stringify(converted)}. Give a schema of JSON`)
  const { $schema = dialect, ...listed } = converted
  if ($schema === dialect) return listed
  throw new SchemaError(`is converted to the dialect ${String($schema)} instead of 2020-12. Update the library`)
}

/** Requirements of libraries, by their `vendor`. Only for messages. */
const needs: Readonly<Record<string, string | undefined>> = {
  arktype: 'Update arktype to 2.1.28 or newer',
  valibot: 'Wrap it: toStandardJsonSchema(schema), from @valibot/to-json-schema 1.5 or newer',
  zod: 'Update zod to 4.2 or newer, and import from zod, not from zod/v3. With zod/mini, give z.toJSONSchema(schema)',
}

const remedies: Readonly<Record<SchemaDirection, string>> = {
  input:
    'Take a value that JSON has, and transform it: for a date, a string with the format of a date that becomes a Date',
  output:
    'Results are listed by the output side: end a transformation with a schema of its result, and return dates as strings',
}

/**
 * Finds the parts that JSON Schema cannot express. With options to ignore such parts, libraries list them as empty schemas. A library
 * without such an option throws again.
 */
function findPlaces(convert: StandardConverter['input']): readonly string[] {
  try {
    const lenient = { unrepresentable: 'any', errorMode: 'ignore' }
    return openParts(convert({ target: 'draft-2020-12', libraryOptions: lenient }), isWithoutKeywords)
  } catch {
    return []
  }
}

/**
 * Rejects parts that list nothing. Some libraries list a part that JSON does not have, such as a date, as an empty schema, which
 * would tell models that any value is accepted.
 */
function rejectOpenParts(listed: JsonObject): void {
  const places = openParts(listed, (part) => Object.keys(part).length === 0)
  if (places.length === 0) return
  throw new SchemaError(
    `lists nothing at ${quoted(places)}: the part accepts any value, or has a type that JSON does not have, such as a date. ` +
      'Describe the part if any value is accepted, otherwise take a value that JSON has, and transform it',
  )
}

const annotations = new Set(['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'])

function isWithoutKeywords(part: JsonObject): boolean {
  return Object.keys(part).every((keyword) => annotations.has(keyword))
}

/**
 * Paths of parts at which an open schema is a mistake. Elsewhere, an empty schema is usual: `additionalProperties: {}` is how
 * libraries list objects with further properties.
 */
const closedPlace = /(?:^|\/)(?:properties\/[^/]+|items|(?:prefixItems|anyOf|oneOf|allOf)\/\d+)$/

/** Returns the places of open parts, as names of properties: `delay`, `days/items`. */
function openParts(root: JsonObject, isOpen: (part: JsonObject) => boolean): readonly string[] {
  const found: string[] = []
  const visit = (schema: JsonObject, path: string): void => {
    mapSubschemas(schema, (part, at) => {
      const here = path === '' ? at : `${path}/${at}`
      if (closedPlace.test(at) && isOpen(part)) found.push(nameOf(here))
      visit(part, here)
      return part
    })
  }
  visit(root, '')
  return [...new Set(found)]
}

function nameOf(path: string): string {
  return (
    path.replaceAll(/(^|\/)(?:properties|(?:anyOf|oneOf|allOf)\/\d+)(?=\/|$)/g, '').replace(/^\//, '') || 'its root'
  )
}

function quoted(places: readonly string[]): string {
  return places
    .slice(0, 8)
    .map((place) => `'${place}'`)
    .join(', ')
}

/** Adds `type: object` to a union of objects, for readers that require a type. */
function withRootType(listed: JsonObject): JsonObject {
  return listed['type'] !== 'object' && isOfObjects(listed) ? { type: 'object', ...listed } : listed
}
