import { describeThrown, type Problems } from '../errors/problems.js'
import { describeFaults } from '../schema/describe-faults.js'
import { Compile, Type } from '../schema/typebox.js'

const shape = Compile(
  Type.Object({
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    mimeType: Type.Optional(Type.String()),
    size: Type.Optional(Type.Number()),
    icons: Type.Optional(Type.Array(Type.Object({ src: Type.String() }))),
    annotations: Type.Optional(Type.Object({})),
    _meta: Type.Optional(Type.Object({})),
  }),
)

/** Checks what lists say about a feature: a member that JSON cannot express would break the whole list. */
export function checkDescription(options: object, origin: string, problems: Problems): void {
  if (!shape.Check(options)) {
    const faults = describeFaults(shape.Errors(options), options, 'its options')
    problems.add('bad-option', `${origin}: ${faults}. Correct the options of its decorator.`)
    return
  }
  const { title, description, icons, annotations, _meta } = options
  try {
    JSON.stringify([title, description, icons, annotations, _meta])
  } catch (error) {
    problems.add('bad-option', `${origin}: its options cannot be listed as JSON: ${describeThrown(error)}.`)
  }
}
