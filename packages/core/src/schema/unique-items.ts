import type { JsonObject } from '../rpc/messages.js'
import { toSortedJson } from '../rpc/sorted-json.js'
import { changeParts } from './subschemas.js'
import { type TSchema, Type } from './typebox.js'

/**
 * Whether no two items of a list are equal as JSON. Takes time in proportion to the list; comparing each with each, as
 * Ajv does where it does not know the items' type, takes hours for as many as a message can hold.
 */
export function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(toText)).size === items.length
}

/**
 * One text for each value, and none that looks like a number: V8 hashes numbers without a secret, so that thirty thousand
 * of them that were chosen for it keep a `Set` busy for a second.
 */
function toText(item: unknown): string {
  if (typeof item === 'string') return `"${item}`
  return typeof item === 'object' && item !== null ? toSortedJson(item) : `#${String(item)}`
}

/**
 * The same TypeBox schema, but for `uniqueItems`, which {@link areUnique} checks: TypeBox hashes byte by byte, ten times as
 * long.
 */
export function withOwnUniqueItems(schema: TSchema): TSchema {
  return changeParts(
    schema as JsonObject,
    ({ uniqueItems }) => uniqueItems === true,
    (copy) => {
      delete copy['uniqueItems']
      return Type.Refine(
        copy,
        (value) => !Array.isArray(value) || areUnique(value),
        () => 'must not have duplicate items',
      )
    },
  )
}
