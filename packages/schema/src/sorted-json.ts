import { isJsonObject } from './json.js'

/**
 * Serializes a value with sorted keys, so that the order of members does not matter. Creates no intermediate objects:
 * V8 takes microseconds for each object with a new set of keys.
 *
 * @param value A result of `JSON.parse`.
 */
export function toSortedJson(value: unknown): string {
  return isSorted(value) ? JSON.stringify(value) : write(value)
}

function isSorted(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isSorted)
  if (!isJsonObject(value)) return true
  const keys = Object.keys(value)
  return keys.every((key, index) => (index === 0 || (keys[index - 1] as string) < key) && isSorted(value[key]))
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join()}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).toSorted()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${write(value[key])}`).join()}}`
}
