import type { StandardSchema } from './standard-schema.js'
import {
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
} from './typebox.js'

/** Key of a property that exists only in types: see {@link ModelInstance}. */
export declare const modelFields: unique symbol

/** Marks instances of `Model` classes, so that types of clients contain only the fields of the schema. */
export interface ModelInstance<Fields> {
  readonly [modelFields]?: Fields
}

/** A class with a static TypeBox schema, so that the type of a parameter is enough to find the schema. */
export interface ModelClass<Schema extends TObject> {
  new (fields: Decoded<Schema>): Decoded<Schema> & ModelInstance<Decoded<Schema>>
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

type AnySchema = TSchema & ({ readonly '~kind': string } | TUnsafe)

/** Schemas that can describe objects. Boot checks that a schema accepts only objects. */
type ObjectSchema = TObject | TRecord | TUnion | TIntersect | TCyclic | TUnsafe

/** Schemas for the `input` option. The root must describe an object, because a tool's arguments are an object. */
export type InputSchema = ObjectSchema | AnyModelClass | StandardSchema

/** Schemas for the `output` option. Clients of revisions before 2026 get an `outputSchema` only if its root is an object. */
export type OutputSchema = AnySchema | AnyModelClass | StandardSchema

/** The types of a Standard Schema: `input` before, `output` after its transformations. */
type SidesOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>

/** Static type of a schema or of a model class, after all transformations. */
export type Infer<Schema> = Schema extends StandardSchema ? SidesOf<Schema>['output'] : InferTypeBox<Schema>

type InferTypeBox<Schema> = Schema extends AnyModelClass
  ? Decoded<Schema['schema']>
  : Schema extends TSchema
    ? Decoded<Schema>
    : never

/**
 * Static type of a TypeBox schema after its codecs. `StaticDecode` of a schema without codecs equals its `Static`, but is not
 * cached with it: for the compiler, it would double the work of each tool.
 */
type Decoded<Schema extends TSchema> = true extends HasCodec<Schema> ? StaticDecode<Schema> : Static<Schema>

type HasCodec<Schema> = Schema extends { readonly '~codec': unknown }
  ? true
  : Schema extends { readonly properties: infer Properties }
    ? HasCodec<Properties[keyof Properties]>
    : Schema extends { readonly items: infer Items }
      ? HasCodec<Items extends readonly unknown[] ? Items[number] : Items>
      : Schema extends { readonly anyOf: infer Parts extends readonly unknown[] }
        ? HasCodec<Parts[number]>
        : Schema extends { readonly allOf: infer Parts extends readonly unknown[] }
          ? HasCodec<Parts[number]>
          : Schema extends { readonly patternProperties: infer Patterns }
            ? HasCodec<Patterns[keyof Patterns]>
            : Schema extends { readonly $defs: infer Types }
              ? HasCodec<Types[keyof Types]>
              : false

/** Type of a handler's arguments: an instance for a model class, otherwise the output side of the schema. */
export type ArgumentsOf<Schema> = Schema extends AnyModelClass ? InstanceType<Schema> : Infer<Schema>

/** Type of a handler's result: the input side of the schema, which transforms the result before it is sent. */
export type ResultOf<Schema> = Schema extends StandardSchema ? SidesOf<Schema>['input'] : InferTypeBox<Schema>

export function isModelClass(value: unknown): value is AnyModelClass {
  return typeof value === 'function' && Type.IsObject((value as Partial<AnyModelClass>).schema)
}
