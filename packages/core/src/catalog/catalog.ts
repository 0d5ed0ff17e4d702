import type { AccessRule } from '../authorization/access-rule.js'
import type { CallResult } from '../content.js'
import type { McpContext } from '../context/mcp-context.js'
import type { Returned } from '../decorators/mcp-tool.js'
import { describeValue } from '../errors/describe-value.js'
import { Problems } from '../errors/problems.js'
import type { CallHook } from '../hooks/call-hook.js'
import type { PromptOptions, ResourceOptions, ToolOptions } from '../metadata/types.js'
import type { ArgumentsOf, Infer, InputSchema, OutputSchema } from '../schema/model.js'
import { checkAppPage } from './app-pages.js'
import { checkHookObject } from './check-hooks.js'
import { type AddedKind, checkAddedOptions } from './check-option-names.js'
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
import { type AddedAccess, RuleBook } from './rule-book.js'
import { addTo, removeFrom, Shelf } from './shelf.js'
import { isUriTemplate } from './uri-template.js'

type Handler<Input, Default, Result = unknown> = (
  args: Input extends InputSchema ? ArgumentsOf<Input> : Default,
  context: McpContext,
) => Result

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

/** Everything that is served. Changing it at run time takes effect with the next request. */
export class Catalog {
  readonly tools = new Shelf<ToolDefinition>(({ name }) => name)
  readonly prompts = new Shelf<PromptDefinition>(({ name }) => name)
  readonly resources = new Shelf<ResourceDefinition>(({ uri }) => uri)
  readonly resourceTemplates = new Shelf<ResourceTemplateDefinition>(({ template }) => template.text)
  /** Folders of instructions for agents. Their files are resources. */
  readonly skills = new Shelf<SkillDefinition>(({ uri }) => uri)
  readonly completions = new Shelf<CompletionDefinition>(({ target }) => completionKey(target))
  readonly #rules: RuleBook

  /** @param rules Who may use what is added at run time. */
  constructor(rules: RuleBook = new RuleBook()) {
    this.#rules = rules
  }

  /** Who may use what has no place to say anything about it, such as skills and their files. */
  get defaultRule(): AccessRule | null {
    return this.#rules.default
  }

  /** Whether callers see different things. */
  get isGuarded(): boolean {
    const { tools, prompts, resources, resourceTemplates, completions } = this
    return [tools, prompts, resources, resourceTemplates, completions].some((shelf) => shelf.isGuarded)
  }

  /** Whether callers who are not authenticated may use anything, because a class or the host says so. */
  get isOpen(): boolean {
    const { isInUse, default: access } = this.#rules.options
    const { tools, prompts, resources, resourceTemplates } = this
    return (
      isInUse &&
      (access === 'anonymous' || [tools, prompts, resources, resourceTemplates].some((shelf) => shelf.isOpen))
    )
  }

  /**
   * Adds a tool that is a function.
   *
   * @throws BootError when its name is taken or bad, or a schema of it cannot be used; nothing is added then.
   */
  addTool<
    const Input extends InputSchema | undefined = undefined,
    const Output extends OutputSchema | undefined = undefined,
  >(tool: AddedTool<Input, Output>): void {
    const { name, handler, hooks, authorize: _, allowAnonymous: __, ...options } = tool
    const made = madeOf(handler, hooks, `tool '${name}'`)
    this.#add('tool', this.tools, tool, made.origin, (rule, problems) => {
      const defined = defineTool({ name, ...made, rule, options }, problems)
      this.#rules.checkTool(defined, problems)
      checkAppPage(defined, this, problems)
      return defined
    })
  }

  /** @throws BootError as `addTool` does. */
  addPrompt<const Input extends InputSchema | undefined = undefined>(prompt: AddedPrompt<Input>): void {
    const { name, handler, hooks, authorize: _, allowAnonymous: __, ...options } = prompt
    const made = madeOf(handler, hooks, `prompt '${name}'`)
    this.#add('prompt', this.prompts, prompt, made.origin, (rule, problems) =>
      definePrompt({ name, ...made, rule, options }, problems),
    )
  }

  /** @throws BootError as `addTool` does. */
  addResource<const Input extends InputSchema | undefined = undefined>(resource: AddedResource<Input>): void {
    const { uri, name, handler, hooks, authorize: _, allowAnonymous: __, ...options } = resource
    const made = madeOf(handler, hooks, `resource '${uri}'`)
    const named = { uri, name, ...made, options }
    if (isUriTemplate(uri)) {
      this.#add('resource', this.resourceTemplates, resource, made.origin, (rule, problems) =>
        defineResourceTemplate({ ...named, rule }, problems),
      )
    } else {
      this.#add('resource', this.resources, resource, made.origin, (rule, problems) =>
        defineResource({ ...named, rule }, problems),
      )
    }
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

  #add<Definition extends Runnable>(
    kind: AddedKind,
    shelf: Shelf<Definition>,
    added: AddedAccess,
    origin: string,
    define: (rule: AccessRule | null, problems: Problems) => Definition | null,
  ): void {
    add(shelf, origin, (problems) => {
      checkAddedOptions(origin, kind, added, problems)
      return define(this.#rules.ofAdded(added, origin, problems), problems)
    })
  }
}

function madeOf(
  handler: FeatureFunction,
  hooks: readonly CallHook[] | undefined,
  origin: string,
): { readonly source: FunctionSource; readonly hooks: readonly CallHook[]; readonly origin: string } {
  return { source: { kind: 'function', handler }, hooks: hooks ?? [], origin }
}

/** The compiler says so too, but not to those who write JavaScript. */
function checkAdded({ source, hooks, origin }: Runnable, problems: Problems): void {
  for (const hook of hooks) checkHookObject(hook, `${origin}, its hooks`, problems)
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
  if (definition !== null) checkAdded(definition, problems)
  if (definition !== null && shelf.get(shelf.keyOf(definition)) !== undefined) {
    problems.add('duplicate-name', `${name} is already served. Remove it first, or choose another name.`)
  }
  problems.throwIfAny(`${name} cannot be added`)
  if (definition !== null) addTo(shelf, definition)
}
