import type { CallResult } from '../content.js'
import type { ProgressUpdate } from '../context/progress.js'
import { BootError } from '../errors/boot-error.js'
import { recordFeature } from '../metadata/store.js'
import type { ToolOptions } from '../metadata/types.js'
import type { Infer, InputSchema, OutputSchema } from '../schema/model.js'

/** What a method may return for a result of type `Result`. */
export type Returned<Result> = Result | Promise<Result> | AsyncGenerator<ProgressUpdate, Result>

// oxlint-disable-next-line typescript/no-explicit-any
type Injected = any[]

/** The methods that fit a tool's schemas: arguments first, then whatever is injected. */
export type ToolMethod<Input, Output> = (
  ...args: Input extends InputSchema ? [args: Infer<Input>, ...injected: Injected] : Injected
) => Output extends OutputSchema ? Returned<Infer<Output> | CallResult> : unknown

// `Method extends` and not `TypedPropertyDescriptor<ToolMethod>`, which would be invariant.
export type ToolDecorator<Input, Output> = <Method extends ToolMethod<Input, Output>>(
  prototype: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void

/**
 * Serves a method as a tool. `@McpTool(name, options)`, `@McpTool(options)` and `@McpTool()` all work.
 *
 * Arguments are checked against `input` before the method runs and its result against `output` before it is sent. A
 * method whose first parameter or (awaited) result does not fit them is a compile error here.
 */
export function McpTool<
  const Input extends InputSchema | undefined = undefined,
  const Output extends OutputSchema | undefined = undefined,
>(name: string, options?: Omit<ToolOptions<Input, Output>, 'name'>): ToolDecorator<Input, Output>
export function McpTool<
  const Input extends InputSchema | undefined = undefined,
  const Output extends OutputSchema | undefined = undefined,
>(options?: ToolOptions<Input, Output>): ToolDecorator<Input, Output>
export function McpTool(nameOrOptions: string | ToolOptions = {}, rest: ToolOptions = {}) {
  const options = typeof nameOrOptions === 'string' ? { ...rest, name: nameOrOptions } : nameOrOptions
  return (target: object, method: string | symbol | object): void => {
    if (typeof method === 'object') throw standardDecorators(method)
    recordFeature(target, { kind: 'tool', method, isStatic: typeof target === 'function', options })
  }
}

function standardDecorators(context: { readonly name?: string | symbol }): BootError {
  const message =
    `@McpTool on '${String(context.name)}' was called as a standard (TC39) decorator, which has no parameter types. ` +
    'Set "experimentalDecorators": true and "emitDecoratorMetadata": true in tsconfig.json.'
  return new BootError([{ code: 'standard-decorators', message }])
}
