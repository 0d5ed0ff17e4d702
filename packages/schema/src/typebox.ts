import type { TSchema } from 'typebox'
import { Build, Check, Errors as collectErrors } from 'typebox/schema'

// The only module that imports TypeBox. Loading TypeBox's 700 modules dominates start-up, so the published package bundles
// TypeBox into one file.
export {
  type Static,
  type StaticDecode,
  type TCyclic,
  type TIntersect,
  type TObject,
  type TRecord,
  type TRefinement,
  type TSchema,
  type TUnion,
  type TUnsafe,
  Type,
} from 'typebox'
export { Format } from 'typebox/format'
export { Meta } from 'typebox/schema'
export { Clone, DecodeUnsafe, EncodeUnsafe, HasCodec } from 'typebox/value'

/** Parts of a schema by the references to them. TypeBox follows no other references. */
export type Targets = Readonly<Record<string, unknown>>

/**
 * Compiles the check of a schema, and nothing else. TypeBox's `Compile` would also retain the generated code: 2.5 KB instead of
 * 0.4 KB per schema, as long as the process runs.
 *
 * The check is interpreted where functions cannot be generated. TypeBox asks for this only once in a process, but Workers allow it
 * while modules are loaded, and forbid it later. V8 also cannot compile the code of long lists: an `enum` of 2,000 values exceeds
 * the stack of its parser.
 */
export function compileCheck(schema: object, targets: Targets = {}): (value: unknown) => boolean {
  try {
    const evaluated = Build(targets as Record<string, TSchema>, schema).Evaluate()
    if (evaluated.IsAccelerated()) return evaluated['check']
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof Error && error.name === 'EvalError')) throw error
  }
  return (value) => checkNow(schema, targets, value)
}

export function checkNow(schema: object, targets: Targets, value: unknown): boolean {
  return Check(targets as Record<string, TSchema>, schema, value)
}

/** Collects the errors of a value. Takes microseconds for each part of the value. */
export function errorsOf(schema: object, targets: Targets, value: unknown): ReturnType<typeof collectErrors>[1] {
  return collectErrors(targets as Record<string, TSchema>, schema, value)[1]
}
