import { readFileSync } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { CommandError, usageError } from '../command-error.js'
import { oneLine } from '../terminal.js'
import { BadValue, parseExactly } from './exact-json.js'
import { parseValue } from './parse-value.js'
import {
  describeType,
  keywordOf,
  propertiesOf,
  requiredOf,
  type Schema,
  takesAnyName,
  typesOf,
} from './schema-types.js'

type Arguments = Record<string, unknown>

/**
 * Reads the arguments of a tool from the command line: JSON, `@FILE` or `-` for stdin, and flags typed by the schema.
 * Flags and JSON are merged in the order of the command line.
 *
 * @throws CommandError for unknown flags and for values of another type.
 */
export async function readToolArguments(words: readonly string[], schema: Schema): Promise<Arguments> {
  const result: Arguments = {}
  const left = [...words]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    // oxlint-disable-next-line no-await-in-loop -- in the order of the command line
    if (word.startsWith('--')) await readFlag(word, left, schema, result)
    // oxlint-disable-next-line no-await-in-loop -- in the order of the command line
    else Object.assign(result, await readJson(word))
  }
  return result
}

function isJsonArgument(word: string): boolean {
  return word === '-' || /^[{@]/.test(word)
}

async function readJson(word: string): Promise<Arguments> {
  if (!isJsonArgument(word)) {
    const advice = `Give arguments as flags (--name ${word}), or as JSON.`
    throw usageError(`Unexpected argument '${word}'. ${advice}`)
  }
  const source = word === '-' ? 'standard input' : word.startsWith('@') ? word.slice(1) : 'The arguments'
  try {
    const text =
      word === '-' ? await readAll(process.stdin) : word.startsWith('@') ? readFileSync(source, 'utf8') : word
    // Editors on Windows begin a file with a byte order mark.
    const value = parseExactly(text.replace(/^\uFEFF/, ''))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Arguments
  } catch (error) {
    const { message } = error as Error
    throw usageError(error instanceof BadValue ? `${source}: the JSON ${message}.` : `${source}: ${message}`)
  }
  throw usageError(`${source}: the JSON is not an object.`)
}

async function readFlag(word: string, following: string[], schema: Schema, result: Arguments): Promise<void> {
  const [, given = '', inline] = /^--([^=]*)(?:=([^]*))?$/.exec(word) ?? []
  const found = findProperty(given, schema, schema)
  if (found === null) {
    const off = /^no-(.+)$/.exec(given)?.[1]
    const negated = off === undefined ? null : findProperty(off, schema, schema)
    if (negated !== null && isBoolean(negated.schema, schema)) return write(result, negated.path, false)
    if (!takesAnyName(schema, schema)) throw await unknownFlag(given, schema)
  }
  const { path, schema: property } = found ?? { path: [given], schema: {} }
  const text = inline ?? readText(given, following, isBoolean(property, schema))
  try {
    append(result, path, parseValue(text, property, schema), typesOf(property, schema).includes('array'))
  } catch (error) {
    if (error instanceof BadValue) throw usageError(`--${given} is '${text}': it ${error.message}.`)
    throw error
  }
}

/** Returns the value of a flag. A boolean flag without a value is `true`. */
function readText(name: string, following: string[], isSwitch: boolean): string {
  const [next] = following
  const isValue = next !== undefined && (!next.startsWith('--') || next === '--')
  if (isSwitch) return next === 'true' || next === 'false' ? (following.shift() as string) : 'true'
  if (!isValue) throw usageError(`--${name} needs a value.`)
  return following.shift() as string
}

interface Property {
  readonly path: readonly string[]
  readonly schema: Schema
}

function findProperty(given: string, schema: Schema, root: Schema): Property | null {
  const properties = propertiesOf(schema, root)
  const name = findName(given, [...properties.keys()])
  if (name !== null) return { path: [name], schema: properties.get(name) ?? {} }
  const dot = given.indexOf('.')
  if (dot === -1) return null
  const outer = findName(given.slice(0, dot), [...properties.keys()])
  if (outer === null) return null
  const inner = properties.get(outer) ?? {}
  const rest = given.slice(dot + 1)
  const found = findProperty(rest, inner, root) ?? (takesAnyName(inner, root) ? { path: [rest], schema: {} } : null)
  return found === null ? null : { path: [outer, ...found.path], schema: found.schema }
}

export function findName(given: string, names: readonly string[]): string | null {
  if (names.includes(given)) return given
  const alike = names.filter((name) => spelling(name) === spelling(given))
  return alike.length === 1 ? (alike[0] ?? null) : null
}

function spelling(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, '')
}

function isBoolean(schema: Schema, root: Schema): boolean {
  const types = typesOf(schema, root)
  return types.length > 0 && types.every((type) => type === 'boolean' || type === 'null')
}

async function unknownFlag(given: string, schema: Schema): Promise<CommandError> {
  const names = [...propertiesOf(schema, schema).keys()]
  const { nearestName } = await import('@toolwright/core/options')
  const near = nearestName(given, names)
  const advice =
    near !== undefined
      ? `Did you mean --${near}?`
      : names.length === 0
        ? 'The tool has no arguments.'
        : `The arguments are ${names.map((name) => `--${name}`).join(', ')}.`
  return usageError(`Unknown argument --${given}. ${advice}`)
}

function append(target: Arguments, path: readonly string[], value: unknown, isArray: boolean): void {
  const before = isArray && Array.isArray(value) ? read(target, path) : undefined
  write(target, path, Array.isArray(before) ? [...(before as unknown[]), ...(value as unknown[])] : value)
}

function read(target: Arguments, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => {
    return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? (value as Arguments)[name]
      : undefined
  }, target)
}

function write(target: Arguments, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  // Defines the property instead of assigning it: a server may have an argument `__proto__`.
  const set = (each: unknown): unknown =>
    Object.defineProperty(target, name, { value: each, enumerable: true, configurable: true, writable: true })
  if (rest.length === 0) {
    set(value)
    return
  }
  const inner = read(target, [name])
  const next = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : {}
  set(next)
  write(next as Arguments, rest, value)
}

export function missingArguments(
  given: Arguments,
  schema: Schema,
): readonly (readonly [name: string, about: string])[] {
  const properties = propertiesOf(schema, schema)
  return requiredOf(schema, schema)
    .filter((name) => !Object.hasOwn(given, name))
    .map((name) => [name, describeArgument(properties.get(name) ?? {}, schema)])
}

export function describeFlags(schema: Schema): readonly string[] {
  const required = requiredOf(schema, schema)
  const flags = [...propertiesOf(schema, schema)].map(([name, property]) => {
    const about = describeArgument(property, schema)
    return [`--${oneLine(name)}`, required.includes(name) ? `${about} (required)` : about] as const
  })
  if (flags.length === 0) return ['  The tool has no arguments.']
  const width = Math.max(...flags.map(([flag]) => flag.length))
  return flags.map(([flag, about]) => `  ${flag.padEnd(width)}    ${about}`)
}

function describeArgument(property: Schema, root: Schema): string {
  const about = [keywordOf(property, root, 'description'), keywordOf(property, root, 'title')]
  const text = about.find((each) => typeof each === 'string')
  return [describeType(property, root), ...(text === undefined ? [] : [oneLine(text)])].join('  ')
}
