import { describeValue } from '../errors/describe-value.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import { adviceOn, type NameAdvice } from './check-names.js'
import {
  defaultsOf,
  type Option,
  type OptionRows,
  type OptionsOf,
  type ReadOptions,
  readNamedOptions,
} from './option.js'

interface Settings<Default> {
  readonly default?: Default
  readonly type?: string
  /**
   * Last sentence of the message about a wrong value, such as `Give true or false.` The default depends on the kind of option.
   */
  readonly fix?: string
}

interface Bounds {
  /** Default: 1. */
  readonly min?: number
  readonly max?: number
}

/**
 * Creates an option whose values are checked by `accepts`.
 *
 * @param type Type or unit, as shown in the option tables of the docs.
 * @param fix Last sentence of the message about a wrong value, such as `Give true or false.`
 */
export function kind<Given, Default>(
  type: string,
  fix: string,
  accepts: (value: unknown) => boolean,
  settings: Settings<Default> = {},
): Option<Given, Given | Default> {
  const missing = settings.default as Default
  return {
    type: settings.type ?? type,
    default: missing,
    read(given, name, diagnostics) {
      if (accepts(given)) return given as Given
      diagnostics.addBadOption(name, given, settings.fix ?? fix)
      return missing
    },
  }
}

/** `true` or `false`. Other truthy and falsy values are rejected. */
export function flag<Default extends boolean | undefined = undefined>(settings: Settings<Default> = {}) {
  return kind<boolean, Default>('`boolean`', 'Give true or false.', (value) => typeof value === 'boolean', settings)
}

/** A whole number. */
export function count<Default extends number | undefined = undefined>(settings: Settings<Default> & Bounds = {}) {
  const { min = 1, max = Infinity } = settings
  const accepts = (value: unknown): boolean =>
    (Number.isInteger(value) || value === Infinity) && isBetween(value as number, min, max)
  return kind<number, Default>('`number`', `Give a whole number ${rangeOf(min, max)}.`, accepts, settings)
}

/** A whole number of milliseconds. */
export function milliseconds<Default extends number | undefined = undefined>(
  settings: Settings<Default> & Bounds = {},
) {
  return count<Default>({ type: 'ms', ...settings })
}

/** A whole number of bytes. */
export function bytes<Default extends number | undefined = undefined>(settings: Settings<Default> & Bounds = {}) {
  return count<Default>({ type: 'bytes', ...settings })
}

/** Any number. */
export function number<Default extends number | undefined = undefined>(settings: Settings<Default> & Bounds = {}) {
  const { min = 1, max = Infinity } = settings
  const accepts = (value: unknown): boolean => typeof value === 'number' && isBetween(value, min, max)
  return kind<number, Default>('`number`', `Give a number ${rangeOf(min, max)}.`, accepts, settings)
}

function isBetween(value: number, min: number, max: number): boolean {
  return value >= min && value <= max
}

function rangeOf(min: number, max: number): string {
  return max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`
}

export function oneOf<const Value extends string, Default extends NoInfer<Value> | null | undefined = undefined>(
  values: readonly Value[],
  settings: Settings<Default> = {},
) {
  const listed = values.map((value) => `'${value}'`)
  const fix = `Give ${listed.join(' or ')}.`
  const accepts = (value: unknown): boolean => values.includes(value as Value)
  return kind<Value, Default>(listed.map((value) => `\`${value}\``).join(' or '), fix, accepts, settings)
}

/** A list of at least one of the allowed strings. The list is read without duplicates, in the order of `values`. */
export function someOf<
  const Value extends string,
  Default extends readonly NoInfer<Value>[] | null | undefined = undefined,
>(values: readonly Value[], settings: Settings<Default> = {}): Option<readonly Value[], readonly Value[] | Default> {
  const missing = settings.default as Default
  const listed = values.map((value) => `'${value}'`).join(', ')
  return {
    type: settings.type ?? `several of ${values.map((value) => `\`'${value}'\``).join(', ')}`,
    default: missing,
    read(given: unknown, name, diagnostics) {
      if (!Array.isArray(given)) diagnostics.addBadOption(name, given, settings.fix ?? `Give an array of ${listed}.`)
      else if (given.length === 0) {
        diagnostics.add('bad-option', `${name} is empty. Give at least one of ${listed}, or leave it out.`)
      } else {
        const unknown = (given as unknown[]).filter((value) => !values.includes(value as Value))
        for (const value of unknown) {
          const advice = adviceOn(String(value), values)
          const found = describeValue(value).replace('the string ', '')
          diagnostics.add('bad-option', `${name} has ${found}, which does not exist. ${advice}`)
        }
        if (unknown.length === 0) return values.filter((value) => given.includes(value))
      }
      return missing
    },
  }
}

export function text<Default extends string | undefined = undefined>(
  settings: Settings<Default> & { readonly pattern?: RegExp } = {},
) {
  const { pattern = /(?:)/ } = settings
  const accepts = (value: unknown): boolean => typeof value === 'string' && pattern.test(value)
  return kind<string, Default>('`string`', 'Give a string.', accepts, settings)
}

/** A function of type `Value`. @param takes The parameters of the function, for messages: ` that takes the server`. */
export function func<Value>(type: string, takes = ''): Option<Value> {
  return kind<Value, undefined>(type, `Give a function${takes}.`, (value) => typeof value === 'function')
}

/** An array. @param entries For messages: `classes`. */
export function list<Entry>(entries: string, settings: Settings<readonly Entry[]> = {}) {
  return kind<readonly Entry[], readonly Entry[]>(entries, `Give an array of ${entries}.`, Array.isArray, {
    default: [],
    ...settings,
  })
}

export function strings(settings: Settings<readonly string[]> = {}) {
  const missing: Settings<readonly string[]> = { default: [], ...settings }
  return kind<readonly string[], readonly string[]>('strings', 'Give an array of strings.', isStringList, missing)
}

/** An object with methods, such as a store. */
export function withMethods<Value extends object>(
  type: string,
  methods: readonly (keyof Value & string)[],
): Option<Value> {
  return {
    type,
    default: undefined,
    read(given, name, diagnostics) {
      const hasMembers = (typeof given === 'object' && given !== null) || typeof given === 'function'
      const missing = methods.filter((method) => !hasMembers || typeof Reflect.get(given, method) !== 'function')
      if (missing.length === 0) return given as Value
      const found = hasMembers ? `has no ${missing.join(', ')}` : `is ${describeValue(given)}`
      diagnostics.add('bad-option', `${name} ${found}. Give an object with the methods ${methods.join(', ')}.`)
      return undefined
    },
  }
}

/** A group of options. Default: an object with the default of each option. */
export function nested<Rows extends OptionRows, Default = ReadOptions<Rows>>(
  rows: Rows,
  settings: Settings<Default> & NameAdvice = {},
): Option<OptionsOf<Rows>, ReadOptions<Rows> | Default> {
  const missing = 'default' in settings ? (settings.default as Default) : defaultsOf(rows)
  return {
    type: settings.type ?? `\`{ ${Object.keys(rows).join(', ')} }\``,
    default: missing,
    read(given, name, diagnostics) {
      if (isObject(given)) return readNamedOptions(rows, given, { ...settings, prefix: `${name}.` }, diagnostics)
      diagnostics.addBadOption(name, given, settings.fix ?? 'Give an object.')
      return missing
    },
  }
}

/** Any object. Its members are not checked. */
export function object<Value extends object>(type: string): Option<Value> {
  return kind<Value, undefined>(type, 'Give an object.', isObject)
}

/**
 * A value with a custom check.
 *
 * @param check Returns whether the value is valid. Reports an invalid value.
 */
export function custom<Given, Default = undefined>(
  type: string,
  check: (given: unknown, name: string, diagnostics: Diagnostics) => boolean,
  settings: { readonly default?: Default } = {},
): Option<Given, Given | Default> {
  const missing = settings.default as Default
  return {
    type,
    default: missing,
    read: (given, name, diagnostics) => (check(given, name, diagnostics) ? (given as Given) : missing),
  }
}

/** A value that is checked by the code that uses it. */
export function unchecked<Given>(type: string): Option<Given> {
  return { type, default: undefined, read: (given) => given as Given }
}

export function required<Given>(option: Option<Given, unknown>): Option<Given, Given> & { readonly isRequired: true } {
  return { ...(option as Option<Given, Given>), isRequired: true }
}

export function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
