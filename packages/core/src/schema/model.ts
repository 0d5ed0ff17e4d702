import {
  type Static,
  type TCyclic,
  type TIntersect,
  type TObject,
  type TRecord,
  type TSchema,
  type TUnion,
  type TUnsafe,
  Type,
} from './typebox.js'

/** A class that carries its TypeBox schema, so that a parameter's type alone leads to the schema. */
export interface ModelClass<Schema extends TObject> {
  new (fields: Static<Schema>): Static<Schema>
  readonly schema: Schema
}

/**
 * Makes a class out of an object schema: `class AddInput extends Model(Type.Object({ a: Type.Number() })) {}`.
 *
 * A tool whose first parameter (or synchronous return type) is such a class needs no `input` (or `output`). The
 * arguments that a handler receives are an instance of its model. Members that the schema does not name are left out where
 * the class has an accessor or a method of that name.
 */
export function Model<const Schema extends TObject>(schema: Schema): ModelClass<Schema> {
  class ModelBase {
    [name: string]: unknown
    static readonly schema = schema

    constructor(fields: Readonly<Record<string, unknown>>) {
      for (const name of Object.keys(fields)) {
        // An accessor or a method of the class is not for the caller to run or to replace.
        if (!(name in this)) this[name] = fields[name]
        else if (Object.hasOwn(schema.properties, name)) define(this, name, fields[name])
      }
    }
  }
  return ModelBase as unknown as ModelClass<Schema>
}

/** As a class field is: no accessor of the class runs. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}

/** `any`: a constructor's parameter is contravariant, so no `ModelClass<S>` is assignable to `ModelClass<TObject>`. */
export interface AnyModelClass {
  // oxlint-disable-next-line typescript/no-explicit-any
  new (fields: any): object
  readonly schema: TObject
}

/** Not `TSchema`, which is an empty interface that every value satisfies. */
type AnySchema = TSchema & ({ readonly '~kind': string } | TUnsafe)

/** Schemas whose values can be objects. Boot checks that all of them are. */
type ObjectSchema = TObject | TRecord | TUnion | TIntersect | TCyclic | TUnsafe

/** Schemas that `input` takes: the root of a tool's arguments is always an object. */
export type InputSchema = ObjectSchema | AnyModelClass

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
