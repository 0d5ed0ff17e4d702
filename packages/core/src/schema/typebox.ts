import type { TSchema } from 'typebox'
import { Build } from 'typebox/schema'

// The one place that imports TypeBox, whose 700 modules dominate start-up: a packed core holds them in one file.
export {
  type Static,
  type TCyclic,
  type TIntersect,
  type TObject,
  type TRecord,
  type TSchema,
  type TUnion,
  type TUnsafe,
  Type,
} from 'typebox'
export { Compile } from 'typebox/compile'
export { Format } from 'typebox/format'
export { Convert, Errors } from 'typebox/value'

/**
 * Only the function that checks, where `Compile` keeps what it wrote it from as well: 2.5 KB for each schema in place of
 * 0.4 KB, for as long as the server runs.
 */
export function compileCheck(schema: TSchema): (value: unknown) => boolean {
  return Build(schema).Evaluate()['check']
}
