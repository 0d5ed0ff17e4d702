import { isJsonObject, type JsonObject } from '@toolwright/core'
import { toObject } from './json.js'

// Keywords of JSON Schema, draft 2020-12.

export type Check = (value: unknown) => boolean

export const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0
const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'

export function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false
  try {
    return new RegExp(value, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** Keywords without schemas, and the values that JSON Schema allows. */
export const plainKeywords: ReadonlyMap<string, Check> = new Map(
  Object.entries<Check>({
    const: () => true,
    format: isText,
    contentEncoding: isText,
    contentMediaType: isText,
    multipleOf: (value) => isNumber(value) && (value as number) > 0,
    minimum: isNumber,
    maximum: isNumber,
    exclusiveMinimum: isNumber,
    exclusiveMaximum: isNumber,
    minLength: isCount,
    maxLength: isCount,
    minItems: isCount,
    maxItems: isCount,
    minContains: isCount,
    maxContains: isCount,
    minProperties: isCount,
    maxProperties: isCount,
    uniqueItems: isFlag,
    pattern: isPattern,
  }),
)

export const schemaKeywords = [
  'items',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]
export const listKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
export const objectKeywords = ['properties', 'patternProperties', 'dependentSchemas']

export const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** Replaces the schemas that a schema consists of. Other members can look like schemas, such as values of `const`. */
export function mapSchemas(schema: JsonObject, replace: (part: unknown) => unknown): Record<string, unknown> {
  const entries = Object.entries(schema).map(([name, member]): [string, unknown] => {
    if (objectKeywords.includes(name) && isJsonObject(member))
      return [name, toObject(Object.entries(member).map(([key, part]) => [key, replace(part)]))]
    if (listKeywords.includes(name) && Array.isArray(member)) return [name, member.map(replace)]
    const isSchema = schemaKeywords.includes(name) || name === 'additionalProperties'
    return isSchema ? [name, replace(member)] : [name, member]
  })
  return toObject(entries)
}
