import type { CompiledSchema } from './compiled-schema.js'
import type { Parsed } from './parse.js'

/**
 * Validates a value, with its defaults filled in, and transforms it. Returns a promise only if the schema is asynchronous.
 *
 * Fills the defaults into the given value, also into an invalid one. Values that a codec of TypeBox or a Standard Schema transforms
 * are copies.
 */
export function parseValue(schema: CompiledSchema, value: unknown): Parsed | Promise<Parsed> {
  if (schema.parse !== null) return schema.parse(value)
  const complete = schema.applyDefaults === null ? value : schema.applyDefaults(value)
  return schema.check(complete) ? { value: complete } : { errors: schema.errors(complete) }
}
