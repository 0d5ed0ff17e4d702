import { explainUnions } from './explain-unions.js'
import { atPointer } from './json-pointer.js'
import { issueKeyword } from './parse.js'
import { shorten } from './shorten.js'

/** One validation error. TypeBox reports errors in this format. */
export interface ValidationError {
  readonly keyword: string
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
 * @param subject The whole value: `the result`, `the file`. With the subject `the arguments`, properties of the value are called
 * arguments: "missing required argument 'city'".
 */
export function describeErrors(errors: readonly ValidationError[], value: unknown, subject: string): string {
  const explained = explainUnions(errors, value)
  const sentences = [...new Set(explained.flatMap((error) => describeBranches(error, value, subject)))]
    .slice(0, maxErrors)
    .map((sentence) => shorten(sentence, 200))
  return sentences.length === 0 ? `${subject} must match the schema` : shorten(sentences.join('; '), maxLength)
}

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
  if (keyword === 'propertyNames')
    return `${where} must not have ${isOne ? 'a property' : 'properties'} named ${listed}`
  if (areArguments) return `unknown ${isOne ? 'argument' : 'arguments'} ${listed}`
  return `${where} has unknown ${isOne ? 'property' : 'properties'} ${listed}`
}

const nameParams: Readonly<Record<string, string>> = {
  required: 'requiredProperties',
  dependentRequired: 'dependencies',
  additionalProperties: 'additionalProperties',
  unevaluatedProperties: 'unevaluatedProperties',
  propertyNames: 'propertyNames',
}

export function namesIn({ keyword, params }: ValidationError): readonly string[] {
  const names = (params as Readonly<Record<string, unknown>>)[nameParams[keyword] ?? '']
  return Array.isArray(names) ? names.map(String) : []
}

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

/** Escapes control characters as in JSON, so that property names in values cannot forge lines. */
function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

interface Params {
  readonly allowedValues: readonly unknown[]
  readonly allowedValue: unknown
  readonly limit: number
  readonly maxContains: number | undefined
  readonly minContains: number
  readonly multipleOf: number
  readonly pattern: string
  /** Name of the format. `undefined` in errors of `max-work.ts`, which already have a message. */
  readonly format: string | undefined
}

const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

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
  pattern: ({ pattern }) => `must match the pattern "${pattern}"`,
  contains: ({ minContains, maxContains }) =>
    maxContains === undefined
      ? `must contain at least ${amount(minContains, 'matching item')}`
      : `must contain at most ${amount(maxContains, 'matching item')}`,
  anyOf: () => 'must match one of the allowed schemas',
  oneOf: () => 'must match exactly one of the allowed schemas',
  not: () => 'must not match the excluded schema',
  boolean: () => 'is not allowed',
  unevaluatedItems: () => 'must not have more items',
  unevaluatedProperties: () => 'must not have unknown properties',
}

function describeProblem({ keyword, params, message }: ValidationError, value: unknown): string {
  if (keyword === 'type') {
    const types = [(params as { readonly type?: unknown }).type].flat().map(String)
    return `must be ${types.map((type) => nouns[type] ?? type).join(' or ')}, got ${typeName(value)}`
  }
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
