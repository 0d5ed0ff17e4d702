import type { JsonObject } from '../rpc/messages.js'
import type { ValidationError } from './describe-errors.js'
import type { Parse } from './parse.js'

export interface CompiledSchema {
  readonly wire: JsonObject
  check(value: unknown): boolean
  errors(value: unknown): readonly ValidationError[]
  /** Fills in `default` values in place; `null` if the schema has no defaults. */
  readonly applyDefaults: ((value: unknown) => unknown) | null
  /** Converts strings to the numbers and booleans that the schema requires; `null` if the schema describes no strings. */
  readonly convert: ((texts: JsonObject) => JsonObject) | null
  /**
   * Validates and transforms a value, instead of `check`. `null` if values are only checked, as with plain JSON Schema. The `check`
   * of such a schema tells whether a value matches the listed schema.
   */
  readonly parse: Parse | null
  /** Whether only clients see the schema: results without structured content are valid, too. */
  readonly isListedOnly?: true
}

/** Reads string arguments of a prompt or template: converts them to the types of the schema, and fills in defaults. */
export function fromTexts({ convert, applyDefaults }: CompiledSchema, texts: JsonObject): unknown {
  const converted = convert === null ? texts : convert(texts)
  return applyDefaults === null ? converted : applyDefaults(converted)
}

/** An unusable schema. The message completes the sentence "The input schema of tool 'x' …". */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}
