import type { CallResult } from '../content.js'
import type { McpContext } from '../context/mcp-context.js'
import type { Returned } from '../decorators/mcp-tool.js'
import { describeValue } from '../errors/describe-value.js'
import { Problems } from '../errors/problems.js'
import type { PromptOptions, ResourceOptions, ToolOptions } from '../metadata/types.js'
import type { ArgumentsOf, Infer, InputSchema, OutputSchema } from '../schema/model.js'
import { checkAppPage } from './app-pages.js'
import { completionKey } from './define-completion.js'
import { definePrompt } from './define-prompt.js'
import { defineResource, defineResourceTemplate } from './define-resource.js'
import { defineTool } from './define-tool.js'
import type {
  CompletionDefinition,
  FeatureFunction,
  FunctionSource,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  Runnable,
  SkillDefinition,
  ToolDefinition,
} from './definitions.js'
import { addTo, removeFrom, Shelf } from './shelf.js'
import { isUriTemplate } from './uri-template.js'

type Handler<Input, Default, Result = unknown> = (
  args: Input extends InputSchema ? ArgumentsOf<Input> : Default,
  context: McpContext,
) => Result

/** A tool that is added at run time: what a decorator says, and the function to run. */
export interface AddedTool<
  Input extends InputSchema | undefined = undefined,
  Output extends OutputSchema | undefined = undefined,
> extends ToolOptions<Input, Output> {
  readonly name: string
  readonly handler: Handler<
    Input,
    unknown,
    Output extends OutputSchema ? Returned<Infer<Output> | CallResult> : unknown
  >
}

/** A prompt that is added at run time. */
export interface AddedPrompt<Input extends InputSchema | undefined = undefined> extends PromptOptions<Input> {
  readonly name: string
  readonly handler: Handler<Input, unknown>
}

/** A resource, or the resources of a URI template, added at run time. A template's handler gets its variables. */
export interface AddedResource<Input extends InputSchema | undefined = undefined> extends ResourceOptions<Input> {
  readonly uri: string
  readonly name: string
  readonly handler: Handler<Input, Readonly<Record<string, string>>>
}

/** Everything that is served. Changing it at run time takes effect with the next request. */
export class Catalog {
  readonly tools = new Shelf<ToolDefinition>(({ name }) => name)
  readonly prompts = new Shelf<PromptDefinition>(({ name }) => name)
  readonly resources = new Shelf<ResourceDefinition>(({ uri }) => uri)
  readonly resourceTemplates = new Shelf<ResourceTemplateDefinition>(({ template }) => template.text)
  /** Folders of instructions for agents. Their files are resources. */
  readonly skills = new Shelf<SkillDefinition>(({ uri }) => uri)
  readonly completions = new Shelf<CompletionDefinition>(({ target }) => completionKey(target))

  /**
   * Adds a tool that is a function.
   *
   * @throws BootError when its name is taken or bad, or a schema of it cannot be used; nothing is added then.
   */
  addTool<
    const Input extends InputSchema | undefined = undefined,
    const Output extends OutputSchema | undefined = undefined,
  >(tool: AddedTool<Input, Output>): void {
    const { name, handler, ...options } = tool
    const named = { name, ...madeOf(handler, `tool '${name}'`), options }
    add(this.tools, named.origin, (problems) => {
      const definition = defineTool(named, problems)
      checkAppPage(definition, this, problems)
      return definition
    })
  }

  /** @throws BootError as `addTool` does. */
  addPrompt<const Input extends InputSchema | undefined = undefined>(prompt: AddedPrompt<Input>): void {
    const { name, handler, ...options } = prompt
    const named = { name, ...madeOf(handler, `prompt '${name}'`), options }
    add(this.prompts, named.origin, (problems) => definePrompt(named, problems))
  }

  /** @throws BootError as `addTool` does. */
  addResource<const Input extends InputSchema | undefined = undefined>(resource: AddedResource<Input>): void {
    const { uri, name, handler, ...options } = resource
    const named = { uri, name, ...madeOf(handler, `resource '${uri}'`), options }
    if (isUriTemplate(uri)) {
      add(this.resourceTemplates, named.origin, (problems) => defineResourceTemplate(named, problems))
    } else add(this.resources, named.origin, (problems) => defineResource(named, problems))
  }

  /** Stops serving a tool; calls in flight end as they would have. Returns whether there was one. */
  removeTool(name: string): boolean {
    return removeFrom(this.tools, name)
  }

  /** Returns whether there was one. */
  removePrompt(name: string): boolean {
    return removeFrom(this.prompts, name)
  }

  /** @param uri A URI, or the text of a template. Returns whether there was one. */
  removeResource(uri: string): boolean {
    return removeFrom(this.resources, uri) || removeFrom(this.resourceTemplates, uri)
  }
}

function madeOf(
  handler: FeatureFunction,
  origin: string,
): { readonly source: FunctionSource; readonly origin: string } {
  return { source: { kind: 'function', handler }, origin }
}

/** The compiler says so too, but not to those who write JavaScript. */
function checkHandler({ source, origin }: Runnable, problems: Problems): void {
  if (source.kind !== 'function' || typeof source.handler === 'function') return
  problems.add('bad-option', `${origin}: its handler is ${describeValue(source.handler)}. Give a function.`)
}

function add<Definition extends Runnable>(
  shelf: Shelf<Definition>,
  what: string,
  define: (problems: Problems) => Definition | null,
): void {
  const problems = new Problems()
  const definition = define(problems)
  const name = what.charAt(0).toUpperCase() + what.slice(1)
  if (definition !== null) checkHandler(definition, problems)
  if (definition !== null && shelf.get(shelf.keyOf(definition)) !== undefined) {
    problems.add('duplicate-name', `${name} is already served. Remove it first, or choose another name.`)
  }
  problems.throwIfAny(`${name} cannot be added`)
  if (definition !== null) addTo(shelf, definition)
}
