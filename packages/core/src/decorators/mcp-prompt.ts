import type { PromptMessage, PromptResult } from '../content.js'
import type { PromptOptions } from '../metadata/feature-options.js'
import type { ArgumentsOf, InputSchema } from '../schema/model.js'
import { isUncalled, standInFor } from './decorator-diagnostics.js'
import { checkForm, type Injected, type MethodDecoratorFor, recordMethod, withName } from './record-method.js'

/** What a prompt's method may return. A string becomes one message of the user's. */
export type PromptReturned = string | PromptMessage | readonly PromptMessage[] | PromptResult

/** The methods that fit a prompt's schema: arguments first, then whatever is injected. */
export type PromptMethod<Input> = (
  ...args: [Input] extends [InputSchema] ? [args: ArgumentsOf<Input>, ...injected: Injected] : Injected
) => PromptReturned | Promise<PromptReturned>

const decorator = { call: '@McpPrompt()', isForFeatures: true }

/**
 * Serves a method as a prompt. `@McpPrompt(name, options)`, `@McpPrompt(options)` and `@McpPrompt()` all work. Without a
 * name it is the method's own in snake_case.
 *
 * Arguments arrive as strings; they are converted to what `input` says and checked before the method runs.
 */
// One signature, as `McpTool` has.
export function McpPrompt<const Input extends InputSchema | undefined = undefined>(
  nameOrOptions: string | PromptOptions<Input> = {},
  options?: Omit<PromptOptions<Input>, 'name'>,
): MethodDecoratorFor<PromptMethod<Input>> {
  if (isUncalled(decorator, nameOrOptions, options)) return undefined as never
  const named: PromptOptions = withName(nameOrOptions, options)
  return standInFor(nameOrOptions, decorator, (target: object, method?: string | symbol): void => {
    recordMethod(target, method, { kind: 'prompt', options: named })
    checkForm(target, method, '@McpPrompt', nameOrOptions, options)
  })
}
