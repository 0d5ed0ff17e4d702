import { closest, distance } from 'fastest-levenshtein'

/** Finds the name that a misspelt one probably means. `null` if none is near. */
export function nearest(given: string, names: readonly string[]): string | null {
  if (names.length === 0) return null
  const found = closest(
    given.toLowerCase(),
    names.map((name) => name.toLowerCase()),
  )
  const name = names.find((each) => each.toLowerCase() === found) ?? ''
  const isNear = distance(given.toLowerCase(), found) <= Math.max(2, Math.floor(name.length / 3))
  const isPart = given.length > 2 && found.includes(given.toLowerCase())
  return isNear || isPart
    ? name
    : (names.find((each) => given.length > 2 && each.toLowerCase().includes(given.toLowerCase())) ?? null)
}
