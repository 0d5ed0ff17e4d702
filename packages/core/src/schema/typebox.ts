import type { TSchema } from 'typebox'
import { Build } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { Errors as collectErrors } from 'typebox/value'

// The only module that imports TypeBox. Loading TypeBox's 700 modules dominates start-up, so the published package bundles
// TypeBox into one file.
export {
  type Static,
  type StaticDecode,
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
export { Clone, Convert, DecodeUnsafe, EncodeUnsafe, HasCodec } from 'typebox/value'

/**
 * Compiles the check of a schema, and nothing else. TypeBox's `Compile` would also retain the generated code: 2.5 KB instead of
 * 0.4 KB per schema, as long as the server runs.
 */
export function compileCheck(schema: TSchema): (value: unknown) => boolean {
  return Build(schema).Evaluate()['check']
}

/** Maximum number of errors that TypeBox collects for each branch of a union. By default, TypeBox collects 8 errors in total. */
const maxErrors = 1000

/** Collects the errors of a value, including those of all branches of a union. */
export function Errors(schema: TSchema, value: unknown): ReturnType<typeof collectErrors> {
  const { maxErrors: before } = Settings.Get()
  Settings.Set({ maxErrors })
  try {
    return collectErrors(schema, value)
  } finally {
    Settings.Set({ maxErrors: before })
  }
}
