import { type CompiledSchema, type JsonObject, toUsableSchema } from '@toolwright/schema'

const listedSchemas = new WeakSet<object>()

/**
 * Marks a JSON Schema as listed only: clients see it, and the server checks no values against it. For features of other servers
 * and APIs, which check their own values.
 *
 * Never throws. Clients reject a whole list for one invalid schema, so a copy without the invalid parts is listed: unknown
 * dialects, invalid keywords, and references to other documents. A schema that stays invalid becomes `{}`.
 *
 * @returns A schema for the options `inputSchema` and `outputSchema`. The output schema `{}` is not listed.
 */
export function listed(schema: unknown): JsonObject {
  const usable = toUsableSchema(schema)
  listedSchemas.add(usable)
  return usable
}

export function isListedOnly(schema: JsonObject): boolean {
  return listedSchemas.has(schema)
}

/** @returns `null` for the schema `{}`, which says nothing. */
export function compileListed(schema: JsonObject): CompiledSchema | null {
  if (Object.keys(schema).length === 0) return null
  return { wire: schema, check: () => true, errors: () => [], applyDefaults: null, convert: null, parse: null }
}
