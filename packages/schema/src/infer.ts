import type { StandardSchema } from './standard-schema.js'
import type {
  Static,
  StaticDecode,
  TCyclic,
  TIntersect,
  TObject,
  TRecord,
  TSchema,
  TUnion,
  TUnsafe,
} from './typebox.js'

/** A schema of TypeBox. */
export type AnySchema = TSchema & ({ readonly '~kind': string } | TUnsafe)

export type ObjectSchema = TObject | TRecord | TUnion | TIntersect | TCyclic | TUnsafe

/** Static type of a schema, after all transformations. */
export type Infer<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema['~standard']['types']>['output']
  : Schema extends TSchema
    ? Decoded<Schema>
    : never

/**
 * Static type of a TypeBox schema after its codecs. `StaticDecode` of a schema without codecs equals its `Static`, but is not
 * cached with it: for the compiler, it would double the work of each schema.
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
