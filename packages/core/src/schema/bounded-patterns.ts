import type { Ajv } from 'ajv'
import type { JsonObject } from '../rpc/messages.js'
import { changeParts } from './subschemas.js'
import type { TSchema } from './typebox.js'

/**
 * Whether a string certainly has more than `maxLength` characters: a character has one or two UTF-16 code units. Such a
 * string is invalid anyway, so its pattern need not be checked.
 */
function isTooLong(text: string, maxLength: unknown): boolean {
  return typeof maxLength === 'number' && text.length > 2 * maxLength
}

/** Makes a validator that collects all errors skip the pattern of strings that are too long. */
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
 * Returns the same TypeBox schema for collecting all errors. `check` stops at the length of a string that is too long.
 * Collecting all errors goes on to its pattern, which could take minutes.
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

  /** The pattern, as error messages show it. */
  override toString(): string {
    return this.pattern
  }
}
