import type { JsonObject } from '../rpc/messages.js'
import { toPointerKey } from './json-pointer.js'
import { allSchemas } from './subschemas.js'
import { Type } from './typebox.js'

/** The recursive types of a TypeBox schema, by their name in `$defs` and in references. */
export type RecursiveTypes = ReadonlyMap<string, JsonObject>

const none: RecursiveTypes = new Map()

/**
 * Finds the recursive types that the whole schema can share. TypeBox writes a recursive type with its `$id` at each
 * use, but JSON Schema requires unique `$id`s. Empty if a name is ambiguous, or if `#/$defs` would not refer to the
 * root.
 */
export function findRecursiveTypes(root: JsonObject): RecursiveTypes {
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

/** Makes a part of the schema refer to the shared types. */
export function withSharedTypes(schema: JsonObject, types: RecursiveTypes): JsonObject {
  const { $ref } = schema
  if (typeof $ref !== 'string' || !types.has($ref)) return schema
  const { $defs, ...rest } = schema
  const kept = $defs === undefined || Type.IsCyclic(schema) ? rest : { ...rest, $defs }
  return { ...kept, $ref: `#/$defs/${encodeURIComponent(toPointerKey($ref))}` }
}
