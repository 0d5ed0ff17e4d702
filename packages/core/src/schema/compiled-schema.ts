import type { JsonObject } from '../rpc/messages.js'
import type { ValidationError } from './describe-errors.js'

/** A schema ready for use: the text that lists show and the validator that calls run. */
export interface CompiledSchema {
  readonly wire: JsonObject
  check(value: unknown): boolean
  /** What is wrong with a value that `check` refused. */
  errors(value: unknown): readonly ValidationError[]
  /** Fills in `default` values in place; `null` when the schema has none. */
  readonly applyDefaults: ((value: unknown) => unknown) | null
  /** Turns strings into the numbers and booleans that the schema asks for; `null` when it asks for none. */
  readonly convert: ((value: unknown) => unknown) | null
}

/** What texts come to, which is all that a prompt or a template gets: converted to what the schema asks for, and completed. */
export function fromTexts({ convert, applyDefaults }: CompiledSchema, texts: JsonObject): unknown {
  const converted = convert === null ? texts : convert(texts)
  return applyDefaults === null ? converted : applyDefaults(converted)
}
