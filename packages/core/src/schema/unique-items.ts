import { toSortedJson } from '../rpc/sorted-json.js'

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
