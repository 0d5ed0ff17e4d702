import { shorten } from '../errors/protocol-error.js'
import type { JsonObject } from '../rpc/messages.js'
import { explainUnions } from './explain-unions.js'
import { atPointer } from './json-pointer.js'
import { issueKeyword } from './parse.js'

/** One validation error. TypeBox and Ajv report errors in this format. */
export interface ValidationError {
  readonly keyword: string
  /** JSON Pointer to the keyword or to its schema, with a leading `#`. */
  readonly schemaPath?: string | undefined
  /** JSON Pointer to the invalid part of the value; empty for the whole value. */
  readonly instancePath: string
  readonly params: object
  readonly message?: string | undefined
}

const maxErrors = 8

/**
 * Maximum number of characters of the message. Without a limit, the error could be longer than the request that it quotes: in
 * JSON, a quoted character can take six bytes.
 */
const maxLength = 600
const maxPathLength = 80

/**
 * Describes errors in one sentence of limited length that a model can act on.
 *
 * @param subject The whole value: `the arguments`, `the result`.
 * @param schema The schema, for choosing the branches of unions by their discriminators.
 */
export function describeErrors(
  errors: readonly ValidationError[],
  value: unknown,
  subject: string,
  schema: JsonObject = {},
): string {
  const explained = explainUnions(schema, withoutEchoes(errors), value)
  const sentences = explained
    .flatMap((error) => describeBranches(error, value, subject))
    .slice(0, maxErrors)
    .map((sentence) => shorten(sentence, 200))
  return sentences.length === 0 ? `${subject} must match the schema` : shorten(sentences.join('; '), maxLength)
}

/**
 * Removes errors that repeat another error of the same value. TypeBox reports each disallowed property twice: by its name, and as
 * rejected by the schema `false`. Zod writes a `pattern` beside each `format`, and a `type` beside each constant.
 */
function withoutEchoes(errors: readonly ValidationError[]): readonly ValidationError[] {
  const reported = new Set(errors.map(({ keyword, instancePath }) => `${keyword} ${instancePath}`))
  const isNamed = errors.some(({ keyword }) => keyword === 'additionalProperties')
  return errors.filter(({ keyword, instancePath }) => {
    if (keyword === 'boolean') return !isNamed
    return !echoes[keyword]?.some((other) => reported.has(`${other} ${instancePath}`))
  })
}

const echoes: Readonly<Record<string, readonly string[]>> = { pattern: ['format'], type: ['const', 'enum'] }

/** @returns One sentence; for alternatives, one sentence for each of them. */
function describeBranches(error: ValidationError, value: unknown, subject: string): readonly string[] {
  if (error.keyword !== 'alternatives') return [describeError(error, value, subject)]
  const { branches } = error.params as { readonly branches: readonly (readonly ValidationError[])[] }
  return branches.map((branch, index) => {
    const sentences = branch.flatMap((inner) => describeBranches(inner, value, subject))
    return `${index === 0 ? 'either' : 'or'} ${sentences.join(' and ')}`
  })
}

function describeError(error: ValidationError, value: unknown, subject: string): string {
  const { keyword, instancePath } = error
  if (keyword === issueKeyword) return describeIssue(error)
  const where = instancePath === '' ? subject : `'${shorten(escape(instancePath.slice(1)), maxPathLength)}'`
  const areArguments = where === 'the arguments'
  const names = namesIn(error)
  if (names.length === 0) return `${where} ${describeProblem(error, atPointer(value, instancePath))}`
  const isOne = names.length === 1
  const listed = names.map((name) => `'${escape(name)}'`).join(', ')
  if (keyword === 'required' || keyword === 'dependentRequired') {
    if (areArguments) return `missing required ${isOne ? 'argument' : 'arguments'} ${listed}`
    return `${where} is missing required ${isOne ? 'property' : 'properties'} ${listed}`
  }
  if (areArguments) return `unknown ${isOne ? 'argument' : 'arguments'} ${listed}`
  return `${where} has unknown ${isOne ? 'property' : 'properties'} ${listed}`
}

/**
 * Returns the names of missing or unknown properties. TypeBox lists all names in one error, and Ajv reports one error per name.
 */
export function namesIn({ keyword, params }: ValidationError): readonly string[] {
  const named = params as Readonly<Record<string, unknown>>
  const found = {
    required: named['requiredProperties'] ?? named['missingProperty'],
    dependentRequired: named['dependencies'] ?? named['missingProperty'],
    additionalProperties: named['additionalProperties'] ?? named['additionalProperty'],
    unevaluatedProperties: named['unevaluatedProperties'] ?? named['unevaluatedProperty'],
  }[keyword]
  return found === undefined ? [] : [found].flat().map(String)
}

/** Adds the path to the message of a library, unless the message begins with the path. */
function describeIssue({ instancePath, params, message = '' }: ValidationError): string {
  const said = escapeControls(message.slice(0, maxLength)) || 'is not valid'
  const { path } = params as { readonly path: string }
  if (path === '' || message.startsWith(path)) return said
  return `'${shorten(escape(instancePath.slice(1)), maxPathLength)}': ${said}`
}

function escapeControls(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Escapes control characters as in JSON, so that property names chosen by clients cannot forge lines. */
function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Parameters of the keywords, as far as messages need them. */
interface Params {
  readonly allowedValues: readonly unknown[]
  readonly allowedValue: unknown
  readonly limit: number
  readonly multipleOf: number
  /** Name of the format. `undefined` in errors of `max-work.ts`, which already have a message. */
  readonly format: string | undefined
}

const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Requirements in messages, by keyword. The keywords of TypeBox and Ajv have the same parameters. */
const requirements: Readonly<Record<string, (params: Params) => string | undefined>> = {
  enum: ({ allowedValues }) => `must be one of ${joinJson(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  minLength: ({ limit }) => `must be at least ${amount(limit, 'character')} long`,
  maxLength: ({ limit }) => `must be at most ${amount(limit, 'character')} long`,
  minItems: ({ limit }) => `must have at least ${amount(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${amount(limit, 'item')}`,
  minProperties: ({ limit }) => `must have at least ${limit} properties`,
  maxProperties: ({ limit }) => `must have at most ${limit} properties`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be greater than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  format: ({ format }) => (format === undefined ? undefined : `must match the format ${JSON.stringify(format)}`),
  uniqueItems: () => 'must not have duplicate items',
  anyOf: () => 'must match one of the allowed schemas',
  oneOf: () => 'must match exactly one of the allowed schemas',
  not: () => 'must not match the excluded schema',
  boolean: () => 'is not allowed',
  'false schema': () => 'is not allowed',
}

function describeProblem({ keyword, params, message }: ValidationError, value: unknown): string {
  if (keyword === 'type') {
    const types = [(params as { readonly type?: unknown }).type].flat().map(String)
    return `must be ${types.map((type) => nouns[type] ?? type).join(' or ')}, got ${typeName(value)}`
  }
  // The pattern is read from the message, because the `pattern` parameter is not always a string.
  if (keyword === 'pattern') return `must match the pattern ${message?.replace('must match pattern ', '') ?? ''}`
  return requirements[keyword]?.(params as Params) ?? message ?? 'is not valid'
}

function joinJson(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ')
}

const nouns: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
