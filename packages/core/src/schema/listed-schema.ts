import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { compileJsonSchema } from './compile-schema.js'
import type { CompiledSchema } from './compiled-schema.js'
import { hasDialect } from './dialects.js'
import { atReference } from './json-pointer.js'
import { changeParts } from './subschemas.js'

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
  const given = copyOf(schema)
  const copy = isUsable(given) ? given : withoutInvalidParts(given)
  const usable = isUsable(copy) ? copy : {}
  listedSchemas.add(usable)
  return usable
}

export function isListedOnly(schema: JsonObject): boolean {
  return listedSchemas.has(schema)
}

/** @returns `null` for the schema `{}`, which says nothing. */
export function compileListed(schema: JsonObject): CompiledSchema | null {
  if (Object.keys(schema).length === 0) return null
  const none = { applyDefaults: null, convert: null, parse: null }
  return { wire: schema, check: () => true, errors: () => [], ...none, isListedOnly: true }
}

function copyOf(schema: unknown): JsonObject {
  try {
    const read: unknown = JSON.parse(JSON.stringify(schema))
    if (!isJsonObject(read)) return {}
    const { $schema: _, ...copy } = read
    return hasDialect(read) ? read : copy
  } catch {
    return {}
  }
}

function isUsable(schema: JsonObject): boolean {
  try {
    compileJsonSchema(schema)
    return true
  } catch {
    return false
  }
}

/** Checks each keyword alone, inner parts first, because an error of the whole schema does not name its place reliably. */
function withoutInvalidParts(schema: JsonObject): JsonObject {
  return changeParts(
    schema,
    () => true,
    (part) => Object.fromEntries(Object.entries(part).filter(([keyword, value]) => isValid(keyword, value, schema))),
  )
}

function isValid(keyword: string, value: unknown, root: JsonObject): boolean {
  if (keyword === '$ref') return typeof value === 'string' && isJsonObject(atReference(root, value))
  return isUsable({ [keyword]: withoutReferences(value) })
}

/** References of inner parts were checked with the whole schema: a keyword alone has no definitions to refer to. */
function withoutReferences(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => (key === '$ref' ? undefined : member))
}
