import type { CallResult } from '../content.js'
import type { ProgressUpdate } from '../context/progress.js'
import type { ToolOptions } from '../metadata/feature-options.js'
import type { ArgumentsOf, Infer, InputSchema, OutputSchema } from '../schema/model.js'
import { isUncalled, standInFor } from './decorator-diagnostics.js'
import { checkForm, type Injected, type MethodDecoratorFor, recordMethod, withName } from './record-method.js'

/** What a method may return for a result of type `Result`. */
export type Returned<Result> =
  | Result
  | Promise<Result>
  | AsyncGenerator<ProgressUpdate, Result>
  | Generator<ProgressUpdate, Result>

/** The methods that fit a tool's schemas: arguments first, then whatever is injected. */
// In brackets: where the schema itself is refused, the compiler finds no fault with the method besides.
export type ToolMethod<Input, Output> = (
  ...args: [Input] extends [InputSchema] ? [args: ArgumentsOf<Input>, ...injected: Injected] : Injected
) => Output extends OutputSchema ? Returned<Infer<Output> | CallResult> : unknown

/** The decorator of methods that fit a tool with these schemas. */
export type ToolDecorator<Input, Output> = MethodDecoratorFor<ToolMethod<Input, Output>>

const decorator = { call: '@McpTool()', isForFeatures: true }

/**
 * Serves a method as a tool. `@McpTool(name, options)`, `@McpTool(options)` and `@McpTool()` all work. Without a name it
 * is the method's own in snake_case.
 *
 * Arguments are checked against `input` before the method runs and its result against `output` before it is sent. A
 * method whose first parameter or (awaited) result does not fit them is a compile error here.
 */
// Not two overloads: of options that are not right yet, editors then complete nothing and the compiler names the wrong one.
export function McpTool<
  const Input extends InputSchema | undefined = undefined,
  const Output extends OutputSchema | undefined = undefined,
>(
  nameOrOptions: string | ToolOptions<Input, Output> = {},
  options?: Omit<ToolOptions<Input, Output>, 'name'>,
): ToolDecorator<Input, Output> {
  if (isUncalled(decorator, nameOrOptions, options)) return undefined as never
  const named: ToolOptions = withName(nameOrOptions, options)
  return standInFor(nameOrOptions, decorator, (target: object, method?: string | symbol): void => {
    recordMethod(target, method, { kind: 'tool', options: named })
    checkForm(target, method, '@McpTool', nameOrOptions, options)
  })
}
