import { type Diagnostics, describeValue } from '@toolwright/core/options'
import { describeMisplaced } from './describe-misplaced.js'

/** Levels of objects and arrays in each other. What holds itself has no end of them. */
const maxLevels = 32

/** Claims that are given are JSON, as those of tokens are: what reads them cannot tell which they were. */
export function checkClaims(claims: unknown, option: string, diagnostics: Diagnostics): boolean {
  const fault = isPlain(claims)
    ? findError(option, claims, maxLevels)
    : `${option} is ${describeMisplaced(claims)}. Give an object.`
  if (fault !== null) diagnostics.add('bad-option', fault)
  return fault === null
}

/** The first in it that JSON does not have. A text is never one, so that none is repeated. */
function findError(path: string, value: unknown, levels: number): string | null {
  if (isScalar(value)) return null
  if (!isPlain(value) && !Array.isArray(value))
    return `${path} is ${describeValue(value)}, which JSON does not have. Take it out.`
  if (levels === 0) return `${path} is more than ${maxLevels} levels deep. Does something hold itself?`
  for (const [name, member] of Object.entries(value)) {
    const fault = findError(Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`, member, levels - 1)
    if (fault !== null) return fault
  }
  return null
}

/** What is `undefined` is left out of JSON. */
function isScalar(value: unknown): boolean {
  return value === undefined || value === null || Number.isFinite(value) || ['string', 'boolean'].includes(typeof value)
}

/** As every realm makes them: one from a worker or another context is no instance of this one's `Object`. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
