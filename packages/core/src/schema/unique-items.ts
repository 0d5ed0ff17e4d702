import { isJsonObject } from '../rpc/messages.js'

/**
 * Whether no two items of a list are equal as JSON. Takes time in proportion to the list; comparing each with each, as
 * Ajv does where it does not know the items' type, takes hours for as many as a message can hold.
 */
export function areUnique(items: readonly unknown[]): boolean {
  const scalars = new Set<unknown>()
  const texts = new Set<string>()
  for (const item of items) {
    if (typeof item === 'object' && item !== null) texts.add(JSON.stringify(item, withSortedKeys))
    else scalars.add(item)
  }
  return scalars.size + texts.size === items.length
}

function withSortedKeys(_key: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
