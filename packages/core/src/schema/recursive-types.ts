import type { JsonObject } from '../rpc/messages.js'
import { toPointerKey } from './json-pointer.js'
import { allSchemas } from './subschemas.js'
import { Type } from './typebox.js'

/** The types of a TypeBox schema that may contain themselves, by the name that they have in `$defs` and in references. */
export type RecursiveTypes = ReadonlyMap<string, JsonObject>

const none: RecursiveTypes = new Map()

/**
 * The recursive types that all of a schema can share. TypeBox writes them out with an `$id` wherever one is used, but JSON
 * Schema wants an `$id` to be there once. None when a name has several meanings, or where `#/$defs` would not be the root's.
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

/** A part of the schema that refers to the shared types. */
export function withSharedTypes(schema: JsonObject, types: RecursiveTypes): JsonObject {
  const { $ref } = schema
  if (typeof $ref !== 'string' || !types.has($ref)) return schema
  const { $defs, ...rest } = schema
  const kept = $defs === undefined || Type.IsCyclic(schema) ? rest : { ...rest, $defs }
  return { ...kept, $ref: `#/$defs/${encodeURIComponent(toPointerKey($ref))}` }
}
