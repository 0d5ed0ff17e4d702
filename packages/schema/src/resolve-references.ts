import { SchemaError } from './compiled-schema.js'
import { isJsonObject, type JsonObject } from './json.js'
import { atReference } from './json-pointer.js'
import { allSchemas, createConverter } from './subschemas.js'
import type { Targets } from './typebox.js'

/** A schema whose references are pointers, and the schemas and booleans that they point to. */
export interface Resolved {
  readonly root: JsonObject
  readonly targets: Targets
  /** All parts, including parts that only references make schemas. */
  readonly parts: readonly JsonObject[]
}

/** @throws SchemaError for a reference that does not point to a part of the schema. */
export function resolveReferences(root: JsonObject): Resolved {
  const targets: Record<string, unknown> = {}
  const parts = new Set(allSchemas(root))
  // A set also iterates over the parts that are added meanwhile.
  for (const { $ref } of parts) {
    if ($ref === undefined) continue
    const reference = typeof $ref === 'string' ? $ref : JSON.stringify($ref)
    if (Object.hasOwn(targets, reference)) continue
    const target = atReference(root, reference)
    if (!isJsonObject(target) && typeof target !== 'boolean') {
      throw new SchemaError(
        `refers to ${reference}, which is not part of the schema. Add that schema under $defs: schemas are not fetched`,
      )
    }
    targets[reference] = target
    if (isJsonObject(target) && !parts.has(target)) for (const part of allSchemas(target)) parts.add(part)
  }
  return { root, targets, parts: [...parts] }
}

export function convertResolved(
  { root, targets, parts }: Resolved,
  change: (copy: Record<string, unknown>, part: JsonObject) => JsonObject,
): Resolved {
  const convert = createConverter(change)
  const entries = Object.entries(targets).map(([reference, target]) => {
    return [reference, isJsonObject(target) ? convert(target) : target] as const
  })
  return { root: convert(root), targets: Object.fromEntries(entries), parts: parts.map(convert) }
}
