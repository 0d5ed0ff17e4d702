import { _, type Ajv, type FuncKeywordDefinition } from 'ajv'
import type { JsonObject } from '../rpc/messages.js'
import { toSortedJson } from '../rpc/sorted-json.js'
import { changeParts } from './subschemas.js'
import { type TSchema, Type } from './typebox.js'

// Keywords whose checks in TypeBox or Ajv are wrong or too slow.

/**
 * Whether a number is a multiple of another in decimal notation. For example, 19.99 is a multiple of 0.01, although neither
 * number is exact in binary. The tolerance is proportional to the number, like its rounding error.
 */
function isMultipleOf(value: number, divisor: number): boolean {
  if (value % divisor === 0) return true
  if (Number.isInteger(divisor)) return false
  const nearest = Math.round(value / divisor) * divisor
  return Math.abs(nearest - value) <= 2 * Number.EPSILON * Math.abs(value)
}

/**
 * Whether all items are unique as JSON, in linear time. Comparing all pairs, as Ajv does for items of unknown type,
 * takes hours for an array of the maximum message size.
 */
function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(toText)).size === items.length
}

/**
 * Maps each value to a unique string that does not look like a number. V8 hashes numbers without a secret seed: 30,000
 * chosen numbers can block a `Set` for a second.
 */
function toText(item: unknown): string {
  if (typeof item === 'string') return `"${item}`
  return typeof item === 'object' && item !== null ? toSortedJson(item) : `#${String(item)}`
}

/**
 * Replaces two of TypeBox's checks. TypeBox's `uniqueItems` is ten times slower, because it hashes byte by byte. TypeBox's
 * `multipleOf` rejects most decimal numbers above 100,000.
 */
export function withOwnChecks(schema: TSchema): TSchema {
  return changeParts(changeParts(schema as JsonObject, hasUniqueItems, refineUnique), hasDecimals, refineMultiples)
}

function hasUniqueItems({ uniqueItems }: JsonObject): boolean {
  return uniqueItems === true
}

function refineUnique(copy: Record<string, unknown>): JsonObject {
  delete copy['uniqueItems']
  const isFitting = (value: unknown): boolean => !Array.isArray(value) || areUnique(value)
  return Type.Refine(copy, isFitting, () => 'must not have duplicate items')
}

function hasDecimals({ multipleOf }: JsonObject): boolean {
  return typeof multipleOf === 'number' && !Number.isInteger(multipleOf)
}

function refineMultiples(copy: Record<string, unknown>): JsonObject {
  const divisor = copy['multipleOf'] as number
  delete copy['multipleOf']
  const isFitting = (value: unknown): boolean => typeof value !== 'number' || isMultipleOf(value, divisor)
  return Type.Refine(copy, isFitting, () => `must be a multiple of ${divisor}`)
}

// Ajv compares objects with their `toString`, which fails if a client has sent a member of this name. For `multipleOf`, Ajv uses
// a division, which is inexact: 19.99 / 0.01 is 1998.9999999999998.
const ajvKeywords: readonly FuncKeywordDefinition[] = [
  {
    keyword: 'const',
    compile: (value: unknown) => isOneOf([value]),
    error: { message: 'must be equal to constant', params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}` },
  },
  {
    keyword: 'enum',
    schemaType: 'array',
    compile: isOneOf,
    error: {
      message: 'must be equal to one of the allowed values',
      params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
    },
  },
  {
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    compile: (divisor: number) => (value: number) => isMultipleOf(value, divisor),
    error: { message: ({ schemaCode }) => _`"must be a multiple of " + ${schemaCode}` },
  },
  {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: (unique: boolean) => (items: readonly unknown[]) => !unique || areUnique(items),
    error: { message: 'must NOT have duplicate items' },
  },
]

export function replaceKeywords(ajv: Pick<Ajv, 'removeKeyword' | 'addKeyword'>): void {
  for (const definition of ajvKeywords) {
    ajv.removeKeyword(definition.keyword as string)
    ajv.addKeyword(definition)
  }
}

/**
 * Whether a string has more than `maxLength` characters, even if each character has two UTF-16 code units. Such a string is
 * invalid, so its pattern need not be checked.
 */
function isTooLong(text: string, maxLength: unknown): boolean {
  return typeof maxLength === 'number' && text.length > 2 * maxLength
}

/** Changes a validator that collects all errors: it skips the pattern of a string that is too long. */
export function boundAjvPatterns<Instance extends Pick<Ajv, 'removeKeyword' | 'addKeyword'>>(ajv: Instance): Instance {
  ajv.removeKeyword('pattern')
  ajv.addKeyword({
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    compile: (pattern: string, { maxLength }) => {
      const expression = new RegExp(pattern, 'u')
      return (text: string) => isTooLong(text, maxLength) || expression.test(text)
    },
    error: { message: ({ schema }) => `must match pattern "${schema}"` },
  })
  return ajv
}

/**
 * Changes a TypeBox schema for collecting all errors: it skips the pattern of a string that is too long. A test of the pattern
 * could take minutes.
 */
export function withBoundedPatterns(schema: TSchema): TSchema {
  return changeParts(schema as JsonObject, isBounded, (copy) => {
    const { pattern, maxLength } = copy
    copy['pattern'] = new BoundedPattern(pattern instanceof RegExp ? pattern.source : String(pattern), maxLength)
    return copy
  })
}

function isBounded({ pattern, maxLength }: JsonObject): boolean {
  return (typeof pattern === 'string' || pattern instanceof RegExp) && typeof maxLength === 'number'
}

class BoundedPattern extends RegExp {
  constructor(
    private readonly pattern: string,
    private readonly maxLength: unknown,
  ) {
    super(pattern, 'u')
  }

  override test(text: string): boolean {
    return isTooLong(text, this.maxLength) || super.test(text)
  }

  override toString(): string {
    return this.pattern
  }
}

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
