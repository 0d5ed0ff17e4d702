import type { CallResult } from '../content.js'
import type { McpContext } from '../context/mcp-context.js'
import type { CompletionRequest, CompletionReturned } from '../decorators/mcp-completion.js'
import type { Returned } from '../decorators/mcp-tool.js'
import type { CallHook } from '../hooks/call-hook.js'
import type { PromptOptions, ResourceOptions, ToolOptions } from '../metadata/feature-options.js'
import type { CompletionTarget } from '../metadata/types.js'
import type { ArgumentsOf, InputSchema, OutputSchema, ResultOf } from '../model.js'
import type { MaybePromise } from '../timing/maybe-promise.js'
import type { AddedAccess } from './authorization/authorization-resolver.js'

type Handler<Input, Default, Result = unknown> = [Input] extends [InputSchema]
  ? (args: ArgumentsOf<Input>, context: McpContext) => Result
  : UncheckedHandler<Default, Result>

/**
 * Without a schema, a handler can declare the type of its arguments. The type is declared as a method, because only parameters of
 * methods are bivariant.
 */
type UncheckedHandler<Default, Result> = { handle(args: Default, context: McpContext): Result }['handle']

interface Added extends AddedAccess {
  /** Hook objects, which run after the hooks of the server. Classes are not accepted: give instances. */
  readonly hooks?: readonly CallHook[]
  /** Origin of the feature, for messages and reports, such as `GET /orders`. Default: its kind and its name. */
  readonly origin?: string
}

/** A tool added at run time: the options of `@McpTool`, and the function to run. */
export interface AddedTool<
  Input extends InputSchema | undefined = undefined,
  Output extends OutputSchema | undefined = undefined,
> extends ToolOptions<Input, Output>,
    Added {
  readonly name: string
  readonly handler: Handler<
    Input,
    unknown,
    Output extends OutputSchema ? Returned<ResultOf<Output> | CallResult> : unknown
  >
}

export interface AddedPrompt<Input extends InputSchema | undefined = undefined> extends PromptOptions<Input>, Added {
  readonly name: string
  readonly handler: Handler<Input, unknown>
}

type ResourceHandler<Input> = [Input] extends [InputSchema]
  ? (args: ArgumentsOf<Input>, context: McpContext, uri: string) => unknown
  : { handle(args: Readonly<Record<string, string>>, context: McpContext, uri: string): unknown }['handle']

/** A resource or a resource template added at run time. The handler of a template receives the variables of the template. */
export interface AddedResource<Input extends InputSchema | undefined = undefined>
  extends ResourceOptions<Input>,
    Added {
  readonly uri: string
  readonly name: string
  readonly handler: ResourceHandler<Input>
}

/** Changes of the catalog that are made together. */
export interface CatalogReplacement {
  /** Names of tools and prompts, and URIs or URI templates of resources. Names that are not served are ignored. */
  readonly remove?: {
    readonly tools?: readonly string[]
    readonly prompts?: readonly string[]
    readonly resources?: readonly string[]
  }
  readonly add?: {
    readonly tools?: readonly AddedTool[]
    readonly prompts?: readonly AddedPrompt[]
    readonly resources?: readonly AddedResource[]
    readonly completions?: readonly AddedCompletion[]
  }
}

/** A completion added at run time, for an argument of a prompt or a variable of a resource template. */
export type AddedCompletion = CompletionTarget &
  Added & {
    readonly handler: (request: CompletionRequest, context: McpContext) => MaybePromise<CompletionReturned>
  }
