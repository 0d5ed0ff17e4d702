import { type Diagnostics, describeValue } from '@toolwright/core/options'
import { describeMisplaced } from './describe-misplaced.js'

/** Maximum depth of nested objects and arrays. The limit ends the search in a circular object. */
const maxLevels = 32

/** Checks that JSON can express the claims, because applications read them like the claims of a token. */
export function checkClaims(claims: unknown, option: string, diagnostics: Diagnostics): boolean {
  const fault = isPlain(claims)
    ? findError(option, claims, maxLevels)
    : `${option} is ${describeMisplaced(claims)}. Give an object.`
  if (fault !== null) diagnostics.add('bad-option', fault)
  return fault === null
}

/** Finds the first value that JSON cannot express. This value is never a string, so no message repeats a secret. */
function findError(path: string, value: unknown, levels: number): string | null {
  if (isScalar(value)) return null
  if (!isPlain(value) && !Array.isArray(value))
    return `${path} is ${describeValue(value)}, which JSON cannot express. Remove it.`
  if (levels === 0) return `${path} is more than ${maxLevels} levels deep. Is there a circular reference?`
  for (const [name, member] of Object.entries(value)) {
    const fault = findError(Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`, member, levels - 1)
    if (fault !== null) return fault
  }
  return null
}

/** Whether JSON can express the value. Includes `undefined`, which `JSON.stringify` omits from objects. */
function isScalar(value: unknown): boolean {
  return value === undefined || value === null || Number.isFinite(value) || ['string', 'boolean'].includes(typeof value)
}

/** Whether the value is a plain object of any realm: an object of another context is not an instance of this realm's `Object`. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
