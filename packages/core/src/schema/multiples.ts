/**
 * Whether a number is a multiple of another in decimal notation: 19.99 is a multiple of 0.01, although neither is exact
 * in binary. The tolerance is the rounding error of both, which grows with the number.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (value % divisor === 0) return true
  if (Number.isInteger(divisor)) return false
  const nearest = Math.round(value / divisor) * divisor
  return Math.abs(nearest - value) <= 2 * Number.EPSILON * Math.abs(value)
}
