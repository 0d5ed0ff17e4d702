import { describeErrors } from './describe-errors.js'
import { Compile, type TSchema } from './typebox.js'

/** Compiles a schema into a function that describes the errors of a value; `null`: the value matches. */
export function checkShape(schema: TSchema): (value: unknown, subject: string) => string | null {
  const shape = Compile(schema)
  return (value, subject) => (shape.Check(value) ? null : describeErrors(shape.Errors(value), value, subject))
}
