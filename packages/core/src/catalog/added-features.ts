import type { CallResult } from '../content.js'
import type { McpContext } from '../context/mcp-context.js'
import type { CompletionRequest, CompletionReturned } from '../decorators/mcp-completion.js'
import type { Returned } from '../decorators/mcp-tool.js'
import type { CallHook } from '../hooks/call-hook.js'
import type { PromptOptions, ResourceOptions, ToolOptions } from '../metadata/feature-options.js'
import type { CompletionTarget } from '../metadata/types.js'
import type { ArgumentsOf, Infer, InputSchema, OutputSchema } from '../schema/model.js'
import type { AddedAccess } from './authorization/authorization-resolver.js'

type Handler<Input, Default, Result = unknown> = [Input] extends [InputSchema]
  ? (args: ArgumentsOf<Input>, context: McpContext) => Result
  : UncheckedHandler<Default, Result>

/** The type of a method, so that a handler may say itself what its arguments are: no schema tells the compiler. */
type UncheckedHandler<Default, Result> = { handle(args: Default, context: McpContext): Result }['handle']

/** What all features that are added at run time can have. */
interface Added extends AddedAccess {
  /** Run after those of the server. Objects: of a class, take an instance from your container. */
  readonly hooks?: readonly CallHook[]
}

/** A tool that is added at run time: what a decorator says, and the function to run. */
export interface AddedTool<
  Input extends InputSchema | undefined = undefined,
  Output extends OutputSchema | undefined = undefined,
> extends ToolOptions<Input, Output>,
    Added {
  readonly name: string
  readonly handler: Handler<
    Input,
    unknown,
    Output extends OutputSchema ? Returned<Infer<Output> | CallResult> : unknown
  >
}

/** A prompt that is added at run time. */
export interface AddedPrompt<Input extends InputSchema | undefined = undefined> extends PromptOptions<Input>, Added {
  readonly name: string
  readonly handler: Handler<Input, unknown>
}

/** A resource, or the resources of a URI template, added at run time. A template's handler gets its variables. */
export interface AddedResource<Input extends InputSchema | undefined = undefined>
  extends ResourceOptions<Input>,
    Added {
  readonly uri: string
  readonly name: string
  readonly handler: Handler<Input, Readonly<Record<string, string>>>
}

/** What completes an argument of a prompt, or a variable of a resource template, added at run time. */
export type AddedCompletion = CompletionTarget &
  Added & {
    readonly handler: (
      request: CompletionRequest,
      context: McpContext,
    ) => CompletionReturned | Promise<CompletionReturned>
  }
