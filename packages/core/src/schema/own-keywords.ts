import { _, type Ajv, type FuncKeywordDefinition } from 'ajv'
import { isOneOf } from './json-equality.js'
import { isMultipleOf } from './multiples.js'
import { areUnique } from './unique-items.js'

// Ajv compares objects by calling their `toString`, which a client may have sent as a number. For `multipleOf` it
// divides: 19.99 / 0.01 is 1998.9999999999998.
const ownKeywords: readonly FuncKeywordDefinition[] = [
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

/** Replaces keywords of Ajv whose own checks are wrong or too slow. */
export function replaceKeywords(ajv: Pick<Ajv, 'removeKeyword' | 'addKeyword'>): void {
  for (const definition of ownKeywords) {
    ajv.removeKeyword(definition.keyword as string)
    ajv.addKeyword(definition)
  }
}
