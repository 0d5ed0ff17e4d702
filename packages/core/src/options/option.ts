import type { Diagnostics } from '../errors/diagnostics.js'
import { checkNames, type NameAdvice } from './check-names.js'

/**
 * One option of an options object: its type, check and default. The JSDoc comment of the property that holds the option is shown
 * in editors and in the tables of `docs/reference`.
 *
 * @typeParam Given Type of the value that a user gives.
 * @typeParam Read Type of the value that the framework reads: a default replaces `undefined`.
 */
export interface Option<Given, Read = Given | undefined> {
  /** Type or unit, for the reference tables. */
  readonly type: string
  /** Value of an absent option. A computed default is described in the JSDoc comment, after "Default:". */
  readonly default: unknown
  /** Whether the option must be given. Only `required` sets this member. */
  readonly isRequired?: boolean
  /**
   * Returns the given value. Reports an invalid value, and returns the default instead.
   *
   * @param name Full name, for messages: `limits.maxTasks`.
   */
  read(given: unknown, name: string, diagnostics: Diagnostics): Read
  /** Never set: exists only for the type `Given`. */
  readonly '~given'?: Given
}

// oxlint-disable-next-line typescript/no-explicit-any
export type OptionRows = Readonly<Record<string, Option<any, any>>>

// Mapped types keep the JSDoc comments. The language server of TypeScript 7.0.2 does not show the comments of any mapped type:
// https://github.com/microsoft/typescript-go/issues/4677
type GivenOptions<Rows extends OptionRows> = { readonly [Name in keyof Rows]?: Rows[Name]['~given'] }

type RequiredNames<Rows extends OptionRows> = {
  [Name in keyof Rows]: Rows[Name] extends { readonly isRequired: true } ? Name : never
}[keyof Rows]

/** The type of the options object that a user gives. */
// This is a conditional type, because `GivenOptions & {}` would also accept a string or a function.
export type OptionsOf<Rows extends OptionRows> = [RequiredNames<Rows>] extends [never]
  ? GivenOptions<Rows>
  : GivenOptions<Rows> & Required<Pick<GivenOptions<Rows>, RequiredNames<Rows>>>

/** The type of the options with every default filled in. */
export type ReadOptions<Rows extends OptionRows> = { readonly [Name in keyof Rows]: ReturnType<Rows[Name]['read']> }

/** Checks each option and fills in the defaults. @param prefix Precedes each name in messages: `limits.` */
export function readOptions<Rows extends OptionRows>(
  rows: Rows,
  given: object,
  prefix: string,
  diagnostics: Diagnostics,
): ReadOptions<Rows> {
  const read = Object.entries(rows).map(([name, option]) => {
    const value: unknown = Reflect.get(given, name)
    const isAbsent = value === undefined && option.isRequired !== true
    return [name, isAbsent ? option.default : option.read(value, `${prefix}${name}`, diagnostics)]
  })
  // Separate assignments are slower: V8 switches an object to dictionary mode after twelve computed names.
  return Object.fromEntries(read) as ReadOptions<Rows>
}

/** Checks the options as `readOptions` does, and reports unknown names. */
export function readNamedOptions<Rows extends OptionRows>(
  rows: Rows,
  given: object,
  advice: NameAdvice & { readonly prefix: string },
  diagnostics: Diagnostics,
): ReadOptions<Rows> {
  checkNames(given, Object.keys(rows), diagnostics, advice)
  return readOptions(rows, given, advice.prefix, diagnostics)
}

export function defaultsOf<Rows extends OptionRows>(rows: Rows): ReadOptions<Rows> {
  const defaults = Object.entries(rows).map(([name, option]) => [name, option.default])
  return Object.freeze(Object.fromEntries(defaults)) as ReadOptions<Rows>
}
