import { shorten } from './protocol-error.js'

/** What was found where something else belongs, for messages: `a plain object`, `the text 'x'`, `5`. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return `the text '${shorten(value)}'`
  if (typeof value === 'function') return describeFunction(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const name = (Object.getPrototypeOf(value) as object | null)?.constructor.name
  return name === undefined || name === 'Object' ? 'a plain object' : `an instance of ${name}`
}

function describeFunction(value: { readonly name: string; readonly prototype?: unknown }): string {
  const kind = value.prototype === undefined ? 'function' : 'class'
  return value.name === '' ? `a ${kind} without a name` : `the ${kind} ${value.name}`
}
