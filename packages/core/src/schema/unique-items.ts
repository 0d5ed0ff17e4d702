import { toSortedJson } from '../rpc/sorted-json.js'

/**
 * Whether all items are unique as JSON, in linear time. Comparing all pairs, as Ajv does for items of unknown type,
 * takes hours for an array of the maximum message size.
 */
export function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(toText)).size === items.length
}

/**
 * Maps each value to a unique string that does not look like a number: V8 hashes numbers without a secret seed, so
 * 30,000 chosen numbers can block a `Set` for a second.
 */
function toText(item: unknown): string {
  if (typeof item === 'string') return `"${item}`
  return typeof item === 'object' && item !== null ? toSortedJson(item) : `#${String(item)}`
}
