import { shorten } from '@toolwright/schema'

/** Describes an unexpected value for messages: `a plain object`, `the string 'x'`, `5`. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return `the string '${shorten(value)}'`
  if (typeof value === 'function') return describeFunction(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const { constructor }: { readonly constructor?: unknown } = Object.getPrototypeOf(value) ?? {}
  if (typeof constructor !== 'function' || constructor.name === 'Object') return 'a plain object'
  return constructor.name === '' ? 'an instance of a class without a name' : `an instance of ${constructor.name}`
}

function describeFunction(value: { readonly name: string; readonly prototype?: unknown }): string {
  const kind = value.prototype === undefined ? 'function' : 'class'
  return value.name === '' ? `a ${kind} without a name` : `the ${kind} ${value.name}`
}
