import type { JsonObject } from '@toolwright/core'
import { collectMembers } from '@toolwright/schema'

/** Keywords at the top level of a tool's schema that make OpenAI and Anthropic reject the whole request. */
const rejected = ['allOf', 'anyOf', 'oneOf', 'enum', 'const', 'not', '$ref'] as const

/**
 * Converts a schema of arguments to the form that vendors accept: an object with all properties at the top level. Properties of
 * alternatives and references are moved to the top level. The result does not show which properties belong together, but calls
 * are validated against the original schema.
 */
export function toFlatObject(schema: JsonObject): JsonObject {
  if (!rejected.some((keyword) => keyword in schema)) {
    return 'properties' in schema && schema['type'] === 'object'
      ? schema
      : { properties: {}, ...schema, type: 'object' }
  }
  const { properties, required } = collectMembers(schema)
  const rest = Object.entries(schema).filter(([keyword]) => !rejected.some((known) => known === keyword))
  return {
    ...Object.fromEntries(rest),
    type: 'object',
    properties: Object.fromEntries([...properties].map(([name, schemas]) => [name, anyOf(schemas)])),
    ...(required.size > 0 ? { required: [...required] } : {}),
  }
}

function anyOf(schemas: readonly JsonObject[]): JsonObject {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  return different.length === 1 ? (different[0] as JsonObject) : { anyOf: different }
}
