import { _, type Ajv, type FuncKeywordDefinition } from 'ajv'
import { isMultipleOf } from './multiples.js'
import { areUnique } from './unique-items.js'

// Ajv divides to find multiples, which makes 1998.9999999999998 of 19.99 and 0.01.
const ownKeywords: readonly FuncKeywordDefinition[] = [
  {
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    compile: (divisor: number) => (value: number) => isMultipleOf(value, divisor),
    error: { message: ({ schemaCode }) => _`"must be multiple of " + ${schemaCode}` },
  },
  {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: (unique: boolean) => (items: readonly unknown[]) => !unique || areUnique(items),
    error: { message: 'must NOT have duplicate items' },
  },
]

/** Has Ajv check with this project's functions what its own cannot, or only in too long a time. */
export function replaceKeywords(ajv: Pick<Ajv, 'removeKeyword' | 'addKeyword'>): void {
  for (const definition of ownKeywords) {
    ajv.removeKeyword(definition.keyword as string)
    ajv.addKeyword(definition)
  }
}
