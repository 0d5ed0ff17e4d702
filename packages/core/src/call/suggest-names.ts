import { distance } from 'fastest-levenshtein'

const maxDistance = 3
const maxSuggestions = 3
const longestName = 128
/** Names that are compared: one takes microseconds, and a client can be wrong as often as it likes. */
const maxCompared = 500

/** Names close to an unknown one, nearest first. They are looked up letter for letter, so one in other case is the nearest. */
export function suggestNames(unknown: string, names: Iterable<string>): readonly string[] {
  if (unknown.length > longestName) return []
  const lower = unknown.toLowerCase()
  const near: { name: string; away: number }[] = []
  let compared = 0
  for (const name of names) {
    // The name itself may be one that is there, and is said not to be.
    if (name === unknown || Math.abs(name.length - unknown.length) > maxDistance) continue
    if (compared++ === maxCompared) break
    const away = distance(lower, name.toLowerCase())
    if (away <= maxDistance) near.push({ name, away })
  }
  near.sort((a, b) => a.away - b.away || (a.name < b.name ? -1 : 1))
  return near.slice(0, maxSuggestions).map(({ name }) => name)
}
