import type { CallResult, ContentBlock } from '@toolwright/core'
import type { ModelInstance, modelFields } from '@toolwright/core/wire'
import type { CallOptions, ToolCall } from '../calls/tool-call.js'
import type { StreamName } from '../streams/class-streams.js'

// oxlint-disable-next-line typescript/no-explicit-any
type AnyFunction = (...args: any[]) => unknown

/** Names of the public methods of a class, including methods that are not tools: decorators do not change types. */
export type MethodName<Class> = {
  // A property of type `any` is no method.
  [Name in keyof Class]-?: 0 extends 1 & Class[Name] ? never : Class[Name] extends AnyFunction ? Name : never
}[keyof Class] &
  string

export type ReservedName =
  | 'then'
  | 'toJSON'
  | 'asymmetricMatch'
  | 'constructor'
  | 'toString'
  | 'toLocaleString'
  | 'valueOf'
  | 'hasOwnProperty'
  | 'isPrototypeOf'
  | 'propertyIsEnumerable'

/**
 * The methods of a class as a client calls them: `(arguments, options?) => ToolCall<result>`. Stream tools are omitted.
 *
 * @typeParam WithoutArguments Names of methods whose first parameter is an injected object of plain data. Without these
 * names, the compiler would treat the object as the arguments.
 */
export type ClassTools<Class, WithoutArguments extends string = never> = {
  readonly [Name in Exclude<MethodName<Class>, StreamName<Class> | ReservedName>]: Class[Name] extends (
    ...args: infer Parameters
  ) => infer Returned
    ? ToolFunction<Name extends WithoutArguments ? [] : Parameters, Returned>
    : never
}

type ToolFunction<Parameters extends readonly unknown[], Returned> = [ArgumentsOf<Parameters>] extends [never]
  ? (args?: NoArguments, options?: CallOptions) => ToolCall<ResultOf<Returned>>
  : // oxlint-disable-next-line typescript/no-empty-object-type
    {} extends ArgumentsOf<Parameters>
    ? (args?: ArgumentsOf<Parameters>, options?: CallOptions) => ToolCall<ResultOf<Returned>>
    : (args: ArgumentsOf<Parameters>, options?: CallOptions) => ToolCall<ResultOf<Returned>>

/** An empty object, for tools without arguments. */
export type NoArguments = { readonly [name: string]: never }

/** Arguments of a tool: the first parameter of its method. `never` if there is no parameter, or the first is injected. */
export type ArgumentsOf<Parameters extends readonly unknown[]> = Parameters extends readonly []
  ? never
  : Parameters extends readonly [first?: infer First, ...injected: infer _]
    ? Argument<Exclude<First, undefined | null>>
    : never

type Argument<First> = 0 extends 1 & First
  ? Record<string, unknown>
  : typeof modelFields extends keyof First
    ? First extends ModelInstance<infer Fields>
      ? Fields
      : never
    : [IsInjected<First>] extends [false]
      ? First
      : never

/**
 * Whether the first parameter is injected. Arguments are plain objects. Every other type is injected: primitives, and objects
 * with methods or private members, such as `McpContext`.
 */
type IsInjected<First> = First extends object
  ? [MethodName<First>] extends [never]
    ? Pick<First, keyof First> extends First
      ? false
      : true
    : true
  : true

/** Result of a method as the client receives it: promises and generators are awaited, `result(…)` is unwrapped. */
export type ResultOf<Returned> = 0 extends 1 & Returned
  ? // oxlint-disable-next-line typescript/no-explicit-any
    any
  : Returned extends PromiseLike<infer Value>
    ? ResultOf<Value>
    : Returned extends Generator<unknown, infer Value, never> | AsyncGenerator<unknown, infer Value, never>
      ? ResultOf<Value>
      : Returned extends Stream
        ? string
        : Returned extends AsyncIterable<infer Item>
          ? Json<Item>[]
          : Returned extends CallResult<infer Structured>
            ? Unwrapped<Structured>
            : Returned extends ContentBlock | readonly ContentBlock[]
              ? ContentBlock[]
              : Returned extends Uint8Array
                ? string
                : Returned extends undefined | void
                  ? undefined
                  : Json<Returned>

/** A web stream, or a stream of Node. The text of the stream is the result. */
type Stream = { getReader(): unknown } | (AsyncIterable<unknown> & { pipe(...args: never[]): unknown })

type Unwrapped<Structured> = unknown extends Structured
  ? unknown
  : [Structured] extends [undefined]
    ? ContentBlock[]
    : Json<Structured>

/** A value that JSON does not change, such as any value of a recursive type of JSON. */
type Unchanged =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Unchanged[]
  | { readonly [name: string]: Unchanged }

/** A value after it was sent as JSON: dates are strings, and methods are gone. */
export type Json<Value> = 0 extends 1 & Value
  ? Value
  : Value extends Unchanged
    ? Value
    : Value extends { toJSON(): infer Written }
      ? Json<Written>
      : // oxlint-disable-next-line typescript/no-explicit-any
        Value extends ReadonlyMap<any, any> | ReadonlySet<any>
        ? Record<string, never>
        : Value extends readonly unknown[]
          ? { [Index in keyof Value]: Json<Value[Index]> }
          : Value extends object
            ? { [Name in keyof Value as Value[Name] extends AnyFunction | symbol ? never : Name]: Json<Value[Name]> }
            : Value
