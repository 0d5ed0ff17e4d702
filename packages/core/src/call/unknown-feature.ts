import { distance } from 'fastest-levenshtein'
import { UnknownFeatureError } from '../errors/unknown-feature-error.js'

export function unknownFeature(kind: string, name: string, known: Iterable<string>): UnknownFeatureError {
  return new UnknownFeatureError(kind, name, suggestNames(name, known))
}

const maxDistance = 3
const maxSuggestions = 3
const longestName = 128
/**
 * Maximum number of names that are compared with a wrong name. A comparison takes microseconds, and clients can send any number
 * of wrong names.
 */
const maxCompared = 500

export function suggestNames(unknown: string, names: Iterable<string>): readonly string[] {
  if (unknown.length > longestName) return []
  const lower = unknown.toLowerCase()
  const near: { name: string; away: number }[] = []
  let compared = 0
  for (const name of names) {
    // Never suggests the unknown name itself: its feature could be hidden from the caller.
    if (name === unknown || Math.abs(name.length - unknown.length) > maxDistance) continue
    if (compared++ === maxCompared) break
    const away = distance(lower, name.toLowerCase())
    if (away <= maxDistance) near.push({ name, away })
  }
  near.sort((a, b) => a.away - b.away || (a.name < b.name ? -1 : 1))
  return near.slice(0, maxSuggestions).map(({ name }) => name)
}
