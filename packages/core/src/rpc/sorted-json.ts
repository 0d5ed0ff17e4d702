import { isJsonObject } from './messages.js'

/**
 * JSON text that is the same for objects whose members come in another order. Makes no objects on the way: V8 takes
 * microseconds for each that has keys like no other.
 *
 * @param value Came out of `JSON.parse`.
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
