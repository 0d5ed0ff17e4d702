import type { JsonObject } from '../rpc/messages.js'
import { once } from '../util/once.js'
import { compileWire } from './compile-schema.js'
import { describeErrors } from './describe-errors.js'
import type { TSchema } from './typebox.js'
import { toWireSchema } from './wire-schema.js'

/**
 * Creates a function that describes the errors of a value; `null`: the value matches. The schema, of TypeBox or plain JSON Schema of
 * 2020-12, is compiled for the first value.
 */
export function checkShape(schema: TSchema | JsonObject): (value: unknown, subject: string) => string | null {
  const compiled = once(() => compileWire(toWireSchema(schema).schema, 'output'))
  return (value, subject) => {
    const shape = compiled()
    return shape.check(value) ? null : describeErrors(shape.errors(value), value, subject)
  }
}
