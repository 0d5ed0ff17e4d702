import type { JsonObject } from '../rpc/messages.js'
import { atReference } from './json-pointer.js'
import { allSchemas } from './subschemas.js'

/** Resolves a reference to all parts of the schema that it may refer to, because TypeBox reuses names. */
export type FollowReference = (reference: unknown) => readonly unknown[]

export function createFollow(root: JsonObject): FollowReference {
  const named = new Map<string, JsonObject[]>()
  const add = (name: string, schema: JsonObject): void => {
    const known = named.get(name)
    if (known === undefined) named.set(name, [schema])
    else known.push(schema)
  }
  for (const schema of allSchemas(root)) {
    const { $id, $anchor, $dynamicAnchor } = schema
    if (typeof $id === 'string') add($id, schema)
    if (typeof $anchor === 'string') add(`#${$anchor}`, schema)
    if (typeof $dynamicAnchor === 'string') add(`#${$dynamicAnchor}`, schema)
  }
  return (reference) => {
    if (typeof reference !== 'string') return []
    const target = atReference(root, reference)
    return named.get(reference) ?? (target === undefined ? [] : [target])
  }
}

/** Returns the references that apply to the same value. Follows `$recursiveRef`, too, although it is from 2019-09. */
export function referencesOf({ $ref, $dynamicRef, $recursiveRef }: JsonObject): readonly unknown[] {
  return [$ref, $dynamicRef, $recursiveRef].filter((reference) => reference !== undefined)
}
