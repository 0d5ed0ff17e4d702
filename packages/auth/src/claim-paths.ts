import type { JsonObject } from '@toolwright/core'
import type { Diagnostics } from '@toolwright/core/options'

/** A claim's name, which may be a URL; or the list of names that leads to a nested claim. */
type ClaimPath = string | readonly string[]

export function checkClaimPath(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  const names: unknown[] = [given].flat()
  if (names.length === 0 || !names.every((one) => typeof one === 'string' && one !== '')) {
    const fix = 'Give the name of a claim, or an array of names as the path to a nested claim.'
    diagnostics.addBadOption(option, given, fix)
    return false
  }
  if (typeof given !== 'string' || !given.includes('.') || given.includes('://')) return true
  const path = given.split('.').map((name) => `'${name}'`)
  const fix = `Give the path to a nested claim: [${path.join(', ')}]. If the name itself has a dot, give ['${given}'].`
  diagnostics.addBadOption(option, given, fix)
  return false
}

export function checkClaimPaths(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!isPaths(given)) return checkClaimPath(given, option, diagnostics)
  return given.every((path) => checkClaimPath(path, option, diagnostics))
}

export function valueAt(claims: JsonObject, path: ClaimPath): unknown {
  let value: unknown = claims
  for (const name of typeof path === 'string' ? [path] : path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as JsonObject)[name]
  }
  return value
}

/** Returns the words of a claim, or of several. `scope` is one string (RFC 8693, section 4.2), but some issuers use lists. */
export function wordsAt(claims: JsonObject, given: ClaimPath | readonly (readonly string[])[]): readonly string[] {
  const paths = isPaths(given) ? given : [given]
  return [...new Set(paths.flatMap((path) => wordsOf(valueAt(claims, path))))]
}

function isPaths(given: unknown): given is readonly (readonly string[])[] {
  return Array.isArray(given) && given.length > 0 && given.every((one) => Array.isArray(one))
}

function wordsOf(value: unknown): readonly string[] {
  const words = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? (value as unknown[]) : []
  return words.filter((word): word is string => typeof word === 'string' && word !== '')
}
