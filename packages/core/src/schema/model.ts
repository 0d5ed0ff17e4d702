import { type Static, type TObject, type TSchema, type TUnsafe, Type } from './typebox.js'

/** A class that carries its TypeBox schema, so that a parameter's type alone leads to the schema. */
export interface ModelClass<Schema extends TObject> {
  new (fields: Static<Schema>): Static<Schema>
  readonly schema: Schema
}

/**
 * Makes a class out of an object schema: `class AddInput extends Model(Type.Object({ a: Type.Number() })) {}`.
 *
 * A tool whose first parameter (or synchronous return type) is such a class needs no `input` (or `output`). The
 * arguments that a handler receives are an instance of its model.
 */
export function Model<const Schema extends TObject>(schema: Schema): ModelClass<Schema> {
  class ModelBase {
    static readonly schema = schema

    constructor(fields: object) {
      Object.assign(this, fields)
    }
  }
  return ModelBase as unknown as ModelClass<Schema>
}

/** `any`: a constructor's parameter is contravariant, so no `ModelClass<S>` is assignable to `ModelClass<TObject>`. */
export interface AnyModelClass {
  // oxlint-disable-next-line typescript/no-explicit-any
  new (fields: any): object
  readonly schema: TObject
}

/** Not `TSchema`, which is an empty interface that every value satisfies. */
type AnySchema = TSchema & ({ readonly '~kind': string } | TUnsafe)

/** What `input` takes: the root of a tool's arguments is always an object. */
export type InputSchema = TObject | AnyModelClass

/** What `output` takes. Revisions before 2026 get no `outputSchema` unless its root is an object. */
export type OutputSchema = AnySchema | AnyModelClass

/** The static type of a schema or of a model class. */
export type Infer<Schema> = Schema extends AnyModelClass
  ? Static<Schema['schema']>
  : Schema extends TSchema
    ? Static<Schema>
    : never

/** What a handler receives for a schema: of a model class an instance, else plain data. */
export type ArgumentsOf<Schema> = Schema extends AnyModelClass ? InstanceType<Schema> : Infer<Schema>

export function isModelClass(value: unknown): value is AnyModelClass {
  return typeof value === 'function' && Type.IsObject((value as Partial<AnyModelClass>).schema)
}
