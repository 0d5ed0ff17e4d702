import type { JsonObject } from '../rpc/messages.js'
import { allSchemas, changeParts } from './subschemas.js'

/**
 * The schema with a `$ref` for each `$dynamicRef` that leads to no `$dynamicAnchor`. It means the same, says JSON Schema
 * 2020-12, and Ajv would check the value against the whole schema instead.
 */
export function withPlainReferences(schema: JsonObject): JsonObject {
  const anchors = dynamicAnchorsIn(allSchemas(schema))
  const isPlain = ({ $dynamicRef }: JsonObject): boolean =>
    typeof $dynamicRef === 'string' && !anchors.has($dynamicRef.split('#')[1])
  return changeParts(schema, isPlain, refer)
}

/** A `$dynamicRef` to a `$dynamicAnchor` by way of an `$id`, which Ajv cannot follow. */
export function findDistantReference(schema: JsonObject): string | undefined {
  const parts = allSchemas(schema)
  const anchors = dynamicAnchorsIn(parts)
  const references = parts.map(({ $dynamicRef }) => $dynamicRef).filter((reference) => typeof reference === 'string')
  return references.find((reference) => !reference.startsWith('#') && anchors.has(reference.split('#')[1]))
}

function dynamicAnchorsIn(parts: readonly JsonObject[]): ReadonlySet<unknown> {
  return new Set(parts.map(({ $dynamicAnchor }) => $dynamicAnchor).filter((anchor) => anchor !== undefined))
}

/** In a list of its own, because there may be a `$ref` beside it. */
function refer({ $dynamicRef, allOf, ...schema }: JsonObject): JsonObject {
  return { ...schema, allOf: [...(Array.isArray(allOf) ? allOf : []), { $ref: $dynamicRef }] }
}
