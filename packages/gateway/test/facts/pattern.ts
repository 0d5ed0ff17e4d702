/**
 * Expectation of a value: a function that decides, an array whose elements match one by one, an object whose members
 * match (others are ignored), or the value itself.
 */
export type Pattern =
  | ((value: unknown) => boolean)
  | readonly Pattern[]
  | { readonly [name: string]: Pattern }
  | string
  | number
  | boolean
  | null

export function matches(value: unknown, pattern: Pattern): boolean {
  if (typeof pattern === 'function') return pattern(value)
  if (Array.isArray(pattern)) {
    return (
      Array.isArray(value) &&
      value.length === pattern.length &&
      pattern.every((one, index) => matches(value[index], one))
    )
  }
  if (typeof pattern !== 'object' || pattern === null) return value === pattern
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(pattern).every(([name, one]) => matches(Reflect.get(value, name), one))
}

export const absent = (value: unknown): boolean => value === undefined
export const present = (value: unknown): boolean => value !== undefined
export const text = (value: unknown): boolean => typeof value === 'string' && value !== ''
export const numeric = (value: unknown): boolean => typeof value === 'number'
export const object = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
export const list = (value: unknown): boolean => Array.isArray(value)

export const either =
  (...patterns: readonly Pattern[]) =>
  (value: unknown): boolean =>
    patterns.some((pattern) => matches(value, pattern))
export const both =
  (...patterns: readonly Pattern[]) =>
  (value: unknown): boolean =>
    patterns.every((pattern) => matches(value, pattern))
export const some =
  (pattern: Pattern) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.some((one) => matches(one, pattern))
export const every =
  (pattern: Pattern) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 && value.every((one) => matches(one, pattern))
export const none =
  (pattern: Pattern) =>
  (value: unknown): boolean =>
    Array.isArray(value) && !value.some((one) => matches(one, pattern))
export const size =
  (least: number, most = least) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length >= least && value.length <= most
export const atLeast = (least: number) => size(least, Infinity)
export const least =
  (minimum: number) =>
  (value: unknown): boolean =>
    typeof value === 'number' && value >= minimum
export const contains =
  (part: string) =>
  (value: unknown): boolean =>
    typeof value === 'string' && value.toLowerCase().includes(part.toLowerCase())
export const first =
  (pattern: Pattern) =>
  (value: unknown): boolean =>
    Array.isArray(value) && matches(value[0], pattern)
export const last =
  (pattern: Pattern) =>
  (value: unknown): boolean =>
    Array.isArray(value) && matches(value.at(-1), pattern)
/** JSON in a string. */
export const json =
  (pattern: Pattern) =>
  (value: unknown): boolean => {
    try {
      return typeof value === 'string' && matches(JSON.parse(value), pattern)
    } catch {
      return false
    }
  }
