import { describeValue } from './errors/describe-value.js'
import type { Diagnostics } from './errors/diagnostics.js'
import { nearestName } from './errors/nearest-name.js'

/** A list of names of options that the compiler holds to be complete. */
export type NamesOf<Options> = Readonly<Record<keyof NonNullable<Options>, true>>

/** What {@link checkNames} says besides. */
export interface NameAdvice {
  /** Text before each name: whose options these are. */
  readonly prefix?: string
  /** Where options that are often looked for here are to be given, even if they would be known. */
  readonly elsewhere?: Readonly<Record<string, string>>
}

/** Options that nobody reads are mistakes: most are misspelt. */
export function checkNames(
  options: object,
  known: readonly string[],
  diagnostics: Diagnostics,
  { prefix = '', elsewhere = {} }: NameAdvice = {},
): void {
  for (const [name, value] of Object.entries(options)) {
    const isElsewhere = Object.hasOwn(elsewhere, name)
    if (value === undefined || (!isElsewhere && known.includes(name))) continue
    const others = known.filter((one) => !Object.hasOwn(elsewhere, one))
    const advice = isElsewhere ? elsewhere[name] : adviceOn(name, others)
    diagnostics.add('bad-option', `${prefix}${name} is not an option. ${advice}`)
  }
}

/** What to do about a name that is none of those that there are: the second sentence of a message. */
export function adviceOn(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? `Give one of ${known.toSorted().join(', ')}.` : `Did you mean ${nearest}?`
}

/** Whether it can be looked at for options. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object, or an empty one where something else was given. */
export function requireObject<Value extends object>(
  option: string,
  value: Value | undefined,
  diagnostics: Diagnostics,
): Partial<Value> {
  if (value === undefined) return {}
  if (isObject(value)) return value
  diagnostics.addBadOption(option, value, 'Give an object.')
  return {}
}

/** Finds a store that would fail at its first use. `undefined` where none, or something else, was given. */
export function requireMethods<Value>(
  option: string,
  value: Value,
  methods: readonly string[],
  diagnostics: Diagnostics,
): Value | undefined {
  if (value === undefined) return undefined
  const hasMembers = (typeof value === 'object' && value !== null) || typeof value === 'function'
  const missing = methods.filter((method) => !hasMembers || typeof Reflect.get(value, method) !== 'function')
  if (missing.length === 0) return value
  const found = hasMembers ? `has no ${missing.join(', ')}` : `is ${describeValue(value)}`
  diagnostics.add('bad-option', `${option} ${found}. Give an object with the methods ${methods.join(', ')}.`)
  return undefined
}

/** Anything else would count as one of the two: the string 'false' as true. */
export function requireBoolean(option: string, value: unknown, diagnostics: Diagnostics): void {
  if (value === undefined || typeof value === 'boolean') return
  diagnostics.addBadOption(option, value, 'Give true or false.')
}

/** @param fix What to give, after "a function". */
export function requireFunction(option: string, value: unknown, fix: string, diagnostics: Diagnostics): void {
  if (value === undefined || typeof value === 'function') return
  diagnostics.addBadOption(option, value, `Give a function${fix}.`)
}

export function requireNumber(
  option: string,
  value: unknown,
  least: number,
  most: number,
  diagnostics: Diagnostics,
): void {
  const isWhole = Number.isInteger(value) || value === Infinity
  if (isWhole && (value as number) >= least && (value as number) <= most) return
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
  diagnostics.addBadOption(option, value, `Give a whole number ${range}.`)
}
