/**
 * Whether a JSON value has more than `limit` parts. Each kilobyte of a string counts as a further part. Stops counting
 * soon after the limit.
 */
export function isLargerThan(limit: number, value: unknown): boolean {
  return countDown(value, limit) < 0
}

function countDown(value: unknown, left: number): number {
  if (typeof value === 'string') return left - 1 - (value.length >> 10)
  if (typeof value !== 'object' || value === null) return left - 1
  let rest = left - 1
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    if (rest < 0) break
    rest = countDown(part, rest)
  }
  return rest
}
