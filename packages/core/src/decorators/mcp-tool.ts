import type { CallResult } from '../content.js'
import type { ProgressUpdate } from '../context/progress.js'
import type { ToolOptions } from '../metadata/feature-options.js'
import type { ArgumentsOf, InputSchema, OutputSchema, ResultOf } from '../model.js'
import type { MaybePromise } from '../timing/maybe-promise.js'
import { decoratorOrClass, isUncalled } from './decorator-diagnostics.js'
import { checkForm, type Injected, type MethodDecoratorFor, recordMethod, withName } from './record-method.js'

export type Returned<Result> =
  | MaybePromise<Result>
  | AsyncGenerator<ProgressUpdate, Result>
  | Generator<ProgressUpdate, Result>

/** Type of a method that matches the schemas of its tool: arguments first, then injected parameters. */
// The brackets avoid a second compile error for the method if the schema itself is invalid.
export type ToolMethod<Input, Output> = (
  ...args: [Input] extends [InputSchema] ? [args: ArgumentsOf<Input>, ...injected: Injected] : Injected
) => Output extends OutputSchema ? Returned<ResultOf<Output> | CallResult> : unknown

export type ToolDecorator<Input, Output> = MethodDecoratorFor<ToolMethod<Input, Output>>

const decorator = { call: '@McpTool()', isForFeatures: true }

/**
 * Serves a method as a tool. `@McpTool(name, options)`, `@McpTool(options)` and `@McpTool()` all work. The default name is the
 * method's name in snake_case.
 *
 * Arguments are checked against `input` before the method runs. Results are checked against `output` before they are sent. If the
 * method's first parameter or (awaited) result does not fit these schemas, the compiler reports an error at the decorator.
 */
// One signature instead of two overloads: otherwise, editors show no completions in unfinished options, and errors name the
// wrong overload.
export function McpTool<
  const Input extends InputSchema | undefined = undefined,
  const Output extends OutputSchema | undefined = undefined,
>(
  nameOrOptions: string | ToolOptions<Input, Output> = {},
  options?: Omit<ToolOptions<Input, Output>, 'name'>,
): ToolDecorator<Input, Output> {
  if (isUncalled(decorator, nameOrOptions, options)) return undefined as never
  const named: ToolOptions = withName(nameOrOptions, options)
  return decoratorOrClass(nameOrOptions, decorator, (target: object, method?: string | symbol): void => {
    recordMethod(target, method, { kind: 'tool', options: named })
    checkForm(target, method, '@McpTool', nameOrOptions, options)
  })
}
