import type { ToolStream } from '@toolwright/streams'
import type { ClientStream, StreamOptions } from '@toolwright/streams/client'
import type { ArgumentsOf, Json, MethodName, NoArguments, ReservedName, ResultOf } from '../tools/class-tools.js'

/**
 * The stream tools of a class, as a client opens them: `(arguments, options?) => Promise<stream>`.
 *
 * @typeParam WithoutArguments Names of methods without arguments whose first parameter is an injected object of plain
 * data. Without these names, the compiler would treat the object as the arguments.
 */
export type ClassStreams<Class, WithoutArguments extends string = never> = {
  readonly [Name in Exclude<StreamName<Class>, ReservedName>]: Class[Name] extends (
    ...args: infer Parameters
  ) => infer Returned
    ? StreamFunction<
        ArgumentsOf<Name extends WithoutArguments ? [] : Parameters>,
        Promise<StreamOf<Extract<Parameters[number], AnyStream>, ResultOf<Returned>>>
      >
    : never
}

type StreamFunction<Arguments, Stream> = [Arguments] extends [never]
  ? (args?: NoArguments, options?: StreamOptions) => Stream
  : // oxlint-disable-next-line typescript/no-empty-object-type
    {} extends Arguments
    ? (args?: Arguments, options?: StreamOptions) => Stream
    : (args: Arguments, options?: StreamOptions) => Stream

// oxlint-disable-next-line typescript/no-explicit-any
type AnyStream = ToolStream<any, any>

export type StreamName<Class> = {
  [Name in MethodName<Class>]: Class[Name] extends (...args: infer Parameters) => unknown
    ? HasStream<Parameters[number]> extends true
      ? Name
      : never
    : never
}[MethodName<Class>]

type HasStream<Parameter> = 0 extends 1 & Parameter
  ? false
  : [Extract<Parameter, AnyStream>] extends [never]
    ? false
    : true

type StreamOf<Stream, Result> =
  Stream extends ToolStream<infer In, infer Out> ? ClientStream<Chunk<Out>, In, Result> : never

type Chunk<Value> = Value extends Uint8Array ? Uint8Array : Json<Value>
