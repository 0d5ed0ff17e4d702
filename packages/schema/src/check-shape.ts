import { compileWire } from './compile-schema.js'
import { describeErrors } from './describe-errors.js'
import type { JsonObject } from './json.js'
import { once } from './once.js'
import type { TSchema } from './typebox.js'
import { toWireSchema } from './wire-schema.js'

/**
 * Creates a function that describes the errors of a value; `null`: the value matches. The schema is compiled for the first value. A
 * schema with `$schema` is plain JSON Schema of that dialect, another schema is of TypeBox or of the dialect 2020-12.
 */
export function checkShape(schema: TSchema | JsonObject): (value: unknown, subject: string) => string | null {
  const written = schema as JsonObject
  const compiled = once(() => compileWire('$schema' in written ? written : toWireSchema(written).schema, 'output'))
  return (value, subject) => {
    const shape = compiled()
    return shape.check(value) ? null : describeErrors(shape.errors(value), value, subject)
  }
}
