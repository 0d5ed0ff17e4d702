import type { PromptMessage, PromptResult } from '../content.js'
import type { PromptOptions } from '../metadata/feature-options.js'
import type { ArgumentsOf, InputSchema } from '../model.js'
import type { MaybePromise } from '../timing/maybe-promise.js'
import { decoratorOrClass, isUncalled } from './decorator-diagnostics.js'
import { checkForm, type Injected, type MethodDecoratorFor, recordMethod, withName } from './record-method.js'

/** Return type of a prompt. A string becomes one message with the role `user`. */
export type PromptReturned = string | PromptMessage | readonly PromptMessage[] | PromptResult

/** Type of a method that matches the schema of its prompt: arguments first, then injected parameters. */
export type PromptMethod<Input> = (
  ...args: [Input] extends [InputSchema] ? [args: ArgumentsOf<Input>, ...injected: Injected] : Injected
) => MaybePromise<PromptReturned>

const decorator = { call: '@McpPrompt()', isForFeatures: true }

/**
 * Serves a method as a prompt. `@McpPrompt(name, options)`, `@McpPrompt(options)` and `@McpPrompt()` all work. The default name
 * is the method's name in snake_case.
 *
 * Clients send arguments as strings. The arguments are converted to the types in `input` and checked before the method runs.
 */
// One signature instead of overloads: see `McpTool`.
export function McpPrompt<const Input extends InputSchema | undefined = undefined>(
  nameOrOptions: string | PromptOptions<Input> = {},
  options?: Omit<PromptOptions<Input>, 'name'>,
): MethodDecoratorFor<PromptMethod<Input>> {
  if (isUncalled(decorator, nameOrOptions, options)) return undefined as never
  const named: PromptOptions = withName(nameOrOptions, options)
  return decoratorOrClass(nameOrOptions, decorator, (target: object, method?: string | symbol): void => {
    recordMethod(target, method, { kind: 'prompt', options: named })
    checkForm(target, method, '@McpPrompt', nameOrOptions, options)
  })
}
