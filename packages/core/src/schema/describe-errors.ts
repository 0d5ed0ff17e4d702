import { shorten } from '../errors/protocol-error.js'
import { atPointer } from './json-pointer.js'

/** One way in which a value breaks a schema. TypeBox and Ajv report the same shape. */
export interface ValidationError {
  readonly keyword: string
  /** JSON Pointer to the part of the value that is wrong; empty for the whole value. */
  readonly instancePath: string
  readonly params: object
  readonly message?: string | undefined
}

const maxErrors = 8

/** In JSON a character can take six bytes, and whoever echoes what it was sent must not send more than it got. */
const maxLength = 600
const maxPathLength = 80

/** Faults as one sentence that a model can act on. Bounded, whatever the value was. */
export function describeErrors(errors: readonly ValidationError[], value: unknown, subject: string): string {
  const sentences = withoutEchoes(errors)
    .slice(0, maxErrors)
    .map((fault) => shorten(describeError(fault, value, subject), 200))
  return sentences.length === 0 ? `${subject} must fit the schema` : shorten(sentences.join('; '), maxLength)
}

/** TypeBox reports a property that is not allowed twice: by its name, and as a value that the schema `false` refuses. */
function withoutEchoes(errors: readonly ValidationError[]): readonly ValidationError[] {
  const isNamed = errors.some(({ keyword }) => keyword === 'additionalProperties')
  return isNamed ? errors.filter(({ keyword }) => keyword !== 'boolean') : errors
}

function describeError(fault: ValidationError, value: unknown, subject: string): string {
  const where = fault.instancePath === '' ? subject : `'${shorten(escape(fault.instancePath.slice(1)), maxPathLength)}'`
  return `${where} ${fault.message ?? 'is not valid'}${detailOf(fault, value)}`
}

/** Control characters as JSON shows them: a name that a client chose must not forge a line of its own. */
function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function detailOf({ keyword, instancePath, params }: ValidationError, value: unknown): string {
  const { allowedValues, allowedValue, additionalProperties, additionalProperty } = params as Record<string, unknown>
  if (keyword === 'type') return `, but it is ${typeName(atPointer(value, instancePath))}`
  if (keyword === 'enum') return `: ${JSON.stringify(allowedValues)}`
  if (keyword === 'const') return `: ${JSON.stringify(allowedValue)}`
  if (keyword === 'additionalProperties') return `: ${JSON.stringify(additionalProperties ?? [additionalProperty])}`
  return ''
}

/** `a string`, `an object` */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
