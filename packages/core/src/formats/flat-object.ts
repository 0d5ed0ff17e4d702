import type { JsonObject } from '../rpc/messages.js'
import { collectMembers } from '../schema/members.js'

/** Keywords that OpenAI and Anthropic refuse at the top of a tool's schema, and with it the whole request. */
const refused = ['allOf', 'anyOf', 'oneOf', 'enum', 'const', 'not', '$ref'] as const

/**
 * A schema of arguments as vendors take it: an object whose properties are all named at the top. What alternatives and
 * references say of properties is moved there; that some of them belong together is not said any more, but is still
 * checked when the tool is called.
 */
export function toFlatObject(schema: JsonObject): JsonObject {
  if (!refused.some((keyword) => keyword in schema)) {
    return 'properties' in schema && schema['type'] === 'object'
      ? schema
      : { properties: {}, ...schema, type: 'object' }
  }
  const { properties, required } = collectMembers(schema)
  const rest = Object.entries(schema).filter(([keyword]) => !refused.some((known) => known === keyword))
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
