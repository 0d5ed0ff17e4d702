import { distance } from 'fastest-levenshtein'

const maxDistance = 3

/** Finds the known name that a developer probably meant; `undefined` when no name is close. */
export function nearestName(unknown: string, known: readonly string[]): string | undefined {
  const near = known
    .map((name) => ({ name, away: awayFrom(unknown.toLowerCase(), name.toLowerCase()) }))
    .filter(({ away }) => away <= maxDistance)
  near.sort((a, b) => a.away - b.away)
  return near[0]?.name
}

function awayFrom(unknown: string, name: string): number {
  const away = distance(unknown, name)
  // Short names allow fewer edits: `hosts` must not suggest `hooks`.
  if (away <= Math.min(maxDistance, Math.floor(unknown.length / 3))) return away
  // A prefix is close: `readonly` suggests `readOnlyHint`.
  const isPart = Math.min(unknown.length, name.length) >= 3 && (name.startsWith(unknown) || unknown.startsWith(name))
  return isPart ? maxDistance : Infinity
}
