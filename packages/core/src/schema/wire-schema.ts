import type { JsonObject } from '../rpc/messages.js'
import { findRecursiveTypes, withSharedTypes } from './recursive-types.js'
import { mapSubschemas } from './subschemas.js'

const jsonTypes = new Set<unknown>(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'])

interface WireSchema {
  readonly schema: JsonObject
  /** Where it has a type that JSON cannot express: `bigint at properties/amount`. Empty in one that may be used. */
  readonly foreignTypes: readonly string[]
}

/**
 * The JSON Schema 2020-12 text of a TypeBox schema: its own symbols dropped, patterns that are a `RegExp` written as text,
 * tuples, which TypeBox writes in the draft-07 way (`items: [...]`), written with `prefixItems`, enums with their type, and
 * recursive types gathered in `$defs`.
 */
export function toWireSchema(root: object): WireSchema {
  const foreignTypes: string[] = []
  const types = findRecursiveTypes(root as JsonObject)
  const convert = (schema: JsonObject, path: string): JsonObject => {
    const { type } = schema
    if (typeof type === 'string' && !jsonTypes.has(type)) foreignTypes.push(`${type} at ${path || 'its root'}`)
    const mapped = mapSubschemas(withSharedTypes(schema, types), (inner, at) =>
      convert(inner, path === '' ? at : `${path}/${at}`),
    )
    const { pattern } = schema
    const typed = withTypeOfEnum(mapped)
    const converted = pattern instanceof RegExp ? { ...typed, pattern: pattern.source } : typed
    return Array.isArray(schema['items']) ? withPrefixItems(converted) : converted
  }
  const schema = convert(root as JsonObject, '')
  if (types.size === 0) return { schema, foreignTypes }
  const shared = [...types].map(([name, { $id: _id, ...type }]) => [name, convert(type, `$defs/${name}`)] as const)
  return {
    schema: { ...schema, $defs: { ...(schema['$defs'] as object), ...Object.fromEntries(shared) } },
    foreignTypes,
  }
}

/** TypeBox writes an enum without its type, which some vendors of models demand. */
function withTypeOfEnum(schema: JsonObject): JsonObject {
  const { enum: values } = schema
  if ('type' in schema || !Array.isArray(values)) return schema
  const [type, ...others] = new Set(values.map((value) => (value === null ? 'null' : typeof value)))
  return type !== undefined && type !== 'object' && others.length === 0 ? { type, ...schema } : schema
}

function withPrefixItems(tuple: JsonObject): JsonObject {
  const entries = Object.entries(tuple).map(([key, value]) => [renamed[key] ?? key, value] as const)
  // JSON Schema has no empty list of them: all that an empty tuple says is in `items`.
  return Object.fromEntries(entries.filter(([key, value]) => key !== 'prefixItems' || (value as unknown[]).length > 0))
}

const renamed: Readonly<Record<string, string | undefined>> = { items: 'prefixItems', additionalItems: 'items' }
