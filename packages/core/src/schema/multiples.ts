/**
 * Whether a number is a multiple of another as both are written: 19.99 is one of 0.01, though neither is exactly that in
 * binary. What is left may be as much as rounding both makes of it, which grows with the number.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (value % divisor === 0) return true
  if (Number.isInteger(divisor)) return false
  const nearest = Math.round(value / divisor) * divisor
  return Math.abs(nearest - value) <= 2 * Number.EPSILON * Math.abs(value)
}
