import type { JsonObject } from './json.js'
import { toPointerKey } from './json-pointer.js'
import { allSchemas, mapSubschemas } from './subschemas.js'
import { Type } from './typebox.js'

const jsonTypes = new Set<unknown>(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'])

interface WireSchema {
  readonly schema: JsonObject
  /** Types that JSON cannot express, with their location: `bigint at properties/amount`. Empty for a usable schema. */
  readonly foreignTypes: readonly string[]
}

/**
 * Converts a TypeBox schema to JSON Schema 2020-12. Drops TypeBox's own symbols, writes `RegExp` patterns as strings, adds
 * the type to enums, and collects recursive types in `$defs`. Writes tuples with `prefixItems`: TypeBox writes
 * `items: [...]`, as in draft-07.
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
    return withRefinements(schema, Array.isArray(schema['items']) ? withPrefixItems(converted) : converted)
  }
  const schema = convert(root as JsonObject, '')
  if (types.size === 0) return { schema, foreignTypes }
  const shared = [...types].map(([name, type]) => {
    const converted = convert(type, `$defs/${name}`) as Record<string, unknown>
    delete converted['$id']
    return [name, converted] as const
  })
  return {
    schema: { ...schema, $defs: { ...(schema['$defs'] as object), ...Object.fromEntries(shared) } },
    foreignTypes,
  }
}

/** Copies refinements as a hidden member: lists do not contain them. */
function withRefinements({ '~refine': refinements }: JsonObject, schema: JsonObject): JsonObject {
  return refinements === undefined ? schema : Object.defineProperty({ ...schema }, '~refine', { value: refinements })
}

/** Adds the type to an enum. TypeBox omits the type, but some model providers require it. */
function withTypeOfEnum(schema: JsonObject): JsonObject {
  const { enum: values } = schema
  if ('type' in schema || !Array.isArray(values)) return schema
  const [type, ...others] = new Set(values.map((value) => (value === null ? 'null' : typeof value)))
  return type !== undefined && type !== 'object' && others.length === 0 ? { type, ...schema } : schema
}

function withPrefixItems(tuple: JsonObject): JsonObject {
  const entries = Object.entries(tuple).map(([key, value]) => [renamed[key] ?? key, value] as const)
  // JSON Schema does not allow an empty `prefixItems`. For an empty tuple, `items` is enough.
  return Object.fromEntries(entries.filter(([key, value]) => key !== 'prefixItems' || (value as unknown[]).length > 0))
}

const renamed: Readonly<Record<string, string | undefined>> = { items: 'prefixItems', additionalItems: 'items' }

type RecursiveTypes = ReadonlyMap<string, JsonObject>

const none: RecursiveTypes = new Map()

/**
 * Finds the recursive types that the whole schema can share. TypeBox writes a recursive type with its `$id` at each use, but JSON
 * Schema requires unique `$id`s. Returns an empty map if a name is ambiguous, or if `#/$defs` would not refer to the root.
 */
function findRecursiveTypes(root: JsonObject): RecursiveTypes {
  const parts = allSchemas(root)
  const types = new Map<string, JsonObject>()
  for (const [name, type] of parts.filter(Type.IsCyclic).flatMap(definitionsIn)) {
    if ((types.get(name) ?? type) !== type) return none
    types.set(name, type)
  }
  const own = new Set(types.values())
  const isShareable =
    definitionsIn(root).every(([name, type]) => (types.get(name) ?? type) === type) &&
    parts.every((part) => !('$id' in part) || part === root || own.has(part))
  return isShareable ? types : none
}

function definitionsIn({ $defs = {} }: JsonObject): readonly (readonly [string, JsonObject])[] {
  return Object.entries($defs as Record<string, JsonObject>)
}

function withSharedTypes(schema: JsonObject, types: RecursiveTypes): JsonObject {
  const { $ref } = schema
  if (typeof $ref !== 'string' || !types.has($ref)) return schema
  const { $defs, ...rest } = schema
  const kept = $defs === undefined || Type.IsCyclic(schema) ? rest : { ...rest, $defs }
  return { ...kept, $ref: `#/$defs/${encodeURIComponent(toPointerKey($ref))}` }
}
