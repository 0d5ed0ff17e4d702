import { distance } from 'fastest-levenshtein'

const maxDistance = 3

/** Of the names that there are, the one that a developer probably meant; `undefined` when none is near. */
export function nearestName(unknown: string, known: readonly string[]): string | undefined {
  const near = known
    .map((name) => ({ name, away: awayFrom(unknown.toLowerCase(), name.toLowerCase()) }))
    .filter(({ away }) => away <= maxDistance)
  near.sort((a, b) => a.away - b.away)
  return near[0]?.name
}

/** @returns `Infinity` for what is no slip of the pen. */
function awayFrom(unknown: string, name: string): number {
  const away = distance(unknown, name)
  // Two letters of a word of five make another word: hosts are no hooks.
  if (away <= Math.min(maxDistance, Math.floor(unknown.length / 3))) return away
  // As `readonly`, of `readOnlyHint`.
  const isPart = Math.min(unknown.length, name.length) >= 3 && (name.startsWith(unknown) || unknown.startsWith(name))
  return isPart ? maxDistance : Infinity
}
