import type { Ajv } from 'ajv'
import type { JsonObject } from '../rpc/messages.js'
import { changeParts } from './subschemas.js'
import type { TSchema } from './typebox.js'

/**
 * Whether a text has more than `maxLength` characters for certain, whatever it is made of: a character is one or two units
 * long. Such a text does not fit already, and no pattern need read it.
 */
function isTooLong(text: string, maxLength: unknown): boolean {
  return typeof maxLength === 'number' && text.length > 2 * maxLength
}

/** Has a validator that looks for all faults of a value leave out the patterns of texts that are too long already. */
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
 * The same TypeBox schema, to find all faults of a value with. A check stops at the length of a text that is too long; whoever
 * looks for all faults goes on to its pattern, which could read it for minutes.
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

  /** For the message of a fault. */
  override toString(): string {
    return this.pattern
  }
}
