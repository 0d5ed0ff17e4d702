import type { CallResult } from '../content.js'
import type { ProgressUpdate } from '../context/progress.js'
import type { ToolOptions } from '../metadata/types.js'
import type { ArgumentsOf, Infer, InputSchema, OutputSchema } from '../schema/model.js'
import { isUncalled, standInFor } from './decorator-problems.js'
import type { Injected, MethodDecoratorFor } from './injected.js'
import { recordMethod, withName } from './record-method.js'

/** What a method may return for a result of type `Result`. */
export type Returned<Result> =
  | Result
  | Promise<Result>
  | AsyncGenerator<ProgressUpdate, Result>
  | Generator<ProgressUpdate, Result>

/** The methods that fit a tool's schemas: arguments first, then whatever is injected. */
export type ToolMethod<Input, Output> = (
  ...args: Input extends InputSchema ? [args: ArgumentsOf<Input>, ...injected: Injected] : Injected
) => Output extends OutputSchema ? Returned<Infer<Output> | CallResult> : unknown

/** The decorator of methods that fit a tool with these schemas. */
export type ToolDecorator<Input, Output> = MethodDecoratorFor<ToolMethod<Input, Output>>

const decorator = { call: '@McpTool()', isForFeatures: true }

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
/** The same, under the name that the options have, or else the method's own in snake_case. */
export function McpTool<
  const Input extends InputSchema | undefined = undefined,
  const Output extends OutputSchema | undefined = undefined,
>(options?: ToolOptions<Input, Output>): ToolDecorator<Input, Output>
export function McpTool(nameOrOptions: string | ToolOptions = {}, rest: ToolOptions = {}) {
  if (isUncalled(decorator, nameOrOptions, rest)) return undefined as never
  const options = withName(nameOrOptions, rest)
  return standInFor(nameOrOptions, decorator, (target: object, method?: string | symbol): void =>
    recordMethod(target, method, { kind: 'tool', options }),
  )
}
