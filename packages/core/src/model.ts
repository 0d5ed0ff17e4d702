import {
  type AnySchema,
  type Infer as InferSchema,
  type ObjectSchema,
  type StandardSchema,
  type TObject,
  Type,
} from '@toolwright/schema'

/** Key of a property that exists only in types: see {@link ModelInstance}. */
export declare const modelFields: unique symbol

/** Marks instances of `Model` classes, so that types of clients contain only the fields of the schema. */
export interface ModelInstance<Fields> {
  readonly [modelFields]?: Fields
}

/** A class with a static TypeBox schema, so that the type of a parameter is enough to find the schema. */
export interface ModelClass<Schema extends TObject> {
  new (fields: InferSchema<Schema>): InferSchema<Schema> & ModelInstance<InferSchema<Schema>>
  readonly schema: Schema
}

/**
 * Creates a base class from an object schema: `class AddInput extends Model(Type.Object({ a: Type.Number() })) {}`.
 *
 * If the first parameter of a tool has such a class as its type, the tool needs no option `input`. If a synchronous tool has such
 * a class as its return type, the tool needs no option `output`. Handlers receive their arguments as an instance of the class. An
 * argument that is not in the schema is dropped if the class has an accessor or a method with the same name.
 */
export function Model<const Schema extends TObject>(schema: Schema): ModelClass<Schema> {
  class ModelBase {
    [name: string]: unknown
    static readonly schema = schema

    constructor(fields: Readonly<Record<string, unknown>>) {
      for (const name of Object.keys(fields)) {
        // Clients must not be able to run or replace accessors and methods of the class.
        if (!(name in this)) this[name] = fields[name]
        else if (Object.hasOwn(schema.properties, name)) define(this, name, fields[name])
      }
    }
  }
  return ModelBase as unknown as ModelClass<Schema>
}

/** Defines a property like a class field, so that no setter of the class runs. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}

/**
 * A class created by {@link Model}, with any schema. The constructor accepts `any`, because constructor parameters are
 * contravariant: no `ModelClass<S>` is assignable to `ModelClass<TObject>`.
 */
export interface AnyModelClass {
  // oxlint-disable-next-line typescript/no-explicit-any
  new (fields: any): object
  readonly schema: TObject
}

/** Schemas for the `input` option. The root must describe an object, because a tool's arguments are an object. */
export type InputSchema = ObjectSchema | AnyModelClass | StandardSchema

/** Schemas for the `output` option. Clients of revisions before 2026 get an `outputSchema` only if its root is an object. */
export type OutputSchema = AnySchema | AnyModelClass | StandardSchema

/** Static type of a schema or of a model class, after all transformations. */
export type Infer<Schema> = InferSchema<Schema extends AnyModelClass ? Schema['schema'] : Schema>

/** Type of a handler's arguments: an instance for a model class, otherwise the output side of the schema. */
export type ArgumentsOf<Schema> = Schema extends AnyModelClass ? InstanceType<Schema> : Infer<Schema>

/** Type of a handler's result: the input side of the schema, which transforms the result before it is sent. */
export type ResultOf<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema['~standard']['types']>['input']
  : Infer<Schema>

export function isModelClass(value: unknown): value is AnyModelClass {
  return typeof value === 'function' && Type.IsObject((value as Partial<AnyModelClass>).schema)
}
