/**
 * Creates a check whether a JSON value equals one of the allowed values. The order of an object's members is
 * irrelevant.
 */
export function isOneOf(allowed: readonly unknown[]): (value: unknown) => boolean {
  const scalars = new Set(allowed.filter((value) => !isObject(value)))
  const objects = allowed.filter(isObject)
  return (value) => (isObject(value) ? objects.some((one) => areEqual(one, value)) : scalars.has(value))
}

function areEqual(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && areEqual(a[key], b[key]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
