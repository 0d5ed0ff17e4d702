import type { ValidationError } from './describe-errors.js'
import type { JsonObject } from './json.js'
import type { Parse } from './parse.js'

export interface CompiledSchema {
  /** The schema as JSON Schema, to publish. */
  readonly wire: JsonObject
  readonly check: (value: unknown) => boolean
  /** Returns the errors of a value that `check` has just rejected. */
  readonly errors: (value: unknown) => readonly ValidationError[]
  /** Fills in `default` values in place; `null` if the schema has no defaults. */
  readonly applyDefaults: ((value: unknown) => unknown) | null
  /**
   * Converts strings to the numbers and booleans that the schema requires; `null` if strings stay unchanged. The functions of this
   * package that compile a schema never return `null`.
   */
  readonly convert: ((texts: JsonObject) => JsonObject) | null
  /**
   * Validates and transforms a value, instead of `check`. `null` if values are only checked, as with plain JSON Schema. The `check`
   * of a schema with `parse` returns whether a value matches `wire`.
   */
  readonly parse: Parse | null
}

/** An unusable schema. The message completes the sentence "The schema …". */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}
