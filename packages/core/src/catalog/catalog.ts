import type { AccessRule } from '../authorization/access-rule.js'
import { isServedOverAny, networkTransports } from '../context/viewer.js'
import { ownedHere } from '../copies/copies.js'
import { collectThrown, Diagnostics } from '../errors/diagnostics.js'
import type { CallHook } from '../hooks/call-hook.js'
import type { FeatureKind } from '../hooks/feature-call.js'
import type { CompletionTarget } from '../metadata/types.js'
import type { InputSchema, OutputSchema } from '../model.js'
import type { AddedCompletion, AddedPrompt, AddedResource, AddedTool, CatalogReplacement } from './added-features.js'
import type { AddedAccess, AuthorizationResolver } from './authorization/authorization-resolver.js'
import { copyRegistries } from './copy-registries.js'
import { checkAppPage } from './define/app-pages.js'
import { checkAddedOptions, requireOneObject } from './define/check-option-names.js'
import { checkCompletionTarget, completionKey, defineCompletion } from './define/define-completion.js'
import { definePrompt } from './define/define-prompt.js'
import { defineResource, defineResourceTemplate } from './define/define-resource.js'
import { defineTool } from './define/define-tool.js'
import type {
  CompletionDefinition,
  FeatureDefinition,
  FeatureFunction,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  Runnable,
  ToolDefinition,
} from './definitions.js'
import { EnabledState } from './enabled-state.js'
import { Enabling } from './enabling.js'
import { addTo, type FeatureRegistries, FeatureRegistry, removeFrom } from './feature-registry.js'
import { checkHookObject } from './injection/check-hooks.js'
import type { Tagged } from './read-selection.js'
import { isUriTemplate } from './uri-template.js'

interface AnyFeatureRegistry {
  readonly kind: FeatureKind
  readonly registry: Pick<
    FeatureRegistry<FeatureDefinition>,
    'all' | 'entries' | 'offers' | 'isEnabled' | 'isGuarded' | 'dependsOnCaller' | 'isOpen'
  >
}

/** The access rules of a catalog. */
export let rulesOf: (catalog: Catalog) => AuthorizationResolver

/** Enables and disables the features of a catalog. */
export let enablingOf: (catalog: Catalog) => Enabling

/**
 * All served features. A change at run time takes effect with the next request. Each server has its own catalog. To inject the
 * catalog, use this class as the type of a parameter.
 */
export class Catalog implements FeatureRegistries {
  /** The served tools. Treat this registry and the registries below as read-only: the methods of this class change them. */
  readonly tools: FeatureRegistry<ToolDefinition>
  readonly prompts: FeatureRegistry<PromptDefinition>
  readonly resources: FeatureRegistry<ResourceDefinition>
  readonly resourceTemplates: FeatureRegistry<ResourceTemplateDefinition>
  readonly completions: FeatureRegistry<CompletionDefinition>
  /** All registries of features, in the order in which reports list them. */
  readonly registries: readonly AnyFeatureRegistry[]
  readonly #rules: AuthorizationResolver
  readonly #enabling: Enabling

  static {
    rulesOf = (catalog) => catalog.#rules
    enablingOf = (catalog) => catalog.#enabling
  }

  /** @param rules Determines who is allowed to use features that are added at run time. */
  constructor(rules: AuthorizationResolver) {
    const state = new EnabledState()
    this.#rules = rules
    this.tools = new FeatureRegistry(({ name }) => name, state)
    this.prompts = new FeatureRegistry(({ name }) => name, state)
    this.resources = new FeatureRegistry(({ uri }) => uri, state)
    this.resourceTemplates = new FeatureRegistry(({ template }) => template.text, state)
    this.completions = new FeatureRegistry(({ target }) => completionKey(target), state)
    this.registries = [
      { kind: 'tool', registry: this.tools },
      { kind: 'prompt', registry: this.prompts },
      { kind: 'resource', registry: this.resources },
      { kind: 'resource', registry: this.resourceTemplates },
      { kind: 'completion', registry: this.completions },
    ]
    this.#enabling = new Enabling(this, state)
  }

  /** Identifies this server among the nodes that share a bus. Internal. */
  get node(): string {
    return this.#enabling.state.node
  }

  /** The rule of features that cannot declare a rule, such as skills and their files. `null`: open to all callers. */
  get defaultRule(): AccessRule | null {
    return this.#rules.default
  }

  /** Whether different callers can see different features: because of a rule, or of an `enabled` function. */
  get dependsOnCaller(): boolean {
    return this.registries.some(({ registry }) => registry.dependsOnCaller)
  }

  /**
   * Tools with `destructiveHint: true` that a server without authorization serves over the network. Empty for a server with
   * authorization, because boot checks its destructive tools.
   */
  get unguardedDestructiveTools(): readonly ToolDefinition[] {
    if (this.#rules.options.isInUse) return []
    const isDestructive = ({ annotations, rule, transports }: ToolDefinition): boolean =>
      annotations?.destructiveHint === true && rule === null && isServedOverAny(transports, networkTransports)
    return this.tools.all.filter(isDestructive)
  }

  /**
   * Adds a tool whose handler is a function.
   *
   * @throws BootError when the name is taken or invalid, or a schema cannot be used. The tool is then not added.
   */
  addTool<
    const Input extends InputSchema | undefined = undefined,
    const Output extends OutputSchema | undefined = undefined,
  >(tool: AddedTool<Input, Output>): void {
    requireOneObject('tool', tool)
    // Tools that other servers list can have `execution`, which says whether the other server runs the tool as a task.
    const { execution: _, ...added } = tool as typeof tool & { readonly execution?: unknown }
    const { name, handler, hooks, origin, authorize: __, allowAnonymous: ___, ...options } = added
    const runnable = runnableOf(handler, hooks, origin ?? `tool '${name}'`)
    this.#add('tool', this.tools, added, runnable.origin, (rule, diagnostics) => {
      const defined = defineTool({ name, ...runnable, rule, options }, diagnostics)
      this.#rules.checkTool(defined, diagnostics)
      checkAppPage(defined, this, diagnostics)
      return defined
    })
  }

  /** Adds a prompt whose handler is a function. @throws BootError as `addTool` does. */
  addPrompt<const Input extends InputSchema | undefined = undefined>(prompt: AddedPrompt<Input>): void {
    requireOneObject('prompt', prompt)
    const { name, handler, hooks, origin, authorize: _, allowAnonymous: __, ...options } = prompt
    const runnable = runnableOf(handler, hooks, origin ?? `prompt '${name}'`)
    this.#add('prompt', this.prompts, prompt, runnable.origin, (rule, diagnostics) =>
      definePrompt({ name, ...runnable, rule, options }, diagnostics),
    )
  }

  /** Adds a resource or a resource template whose handler is a function. @throws BootError as `addTool` does. */
  addResource<const Input extends InputSchema | undefined = undefined>(resource: AddedResource<Input>): void {
    requireOneObject('resource', resource)
    const { uri: given, name, handler, hooks, origin, authorize: _, allowAnonymous: __, ...options } = resource
    // Untyped code can pass no URI. The empty string is reported as invalid.
    const uri = typeof given === 'string' ? given : ''
    const runnable = runnableOf(handler, hooks, origin ?? `resource '${uri}'`)
    const named = { uri, name, ...runnable, options }
    if (isUriTemplate(uri)) {
      this.#add('resource', this.resourceTemplates, resource, runnable.origin, (rule, diagnostics) =>
        defineResourceTemplate({ ...named, rule }, diagnostics),
      )
    } else {
      this.#add('resource', this.resources, resource, runnable.origin, (rule, diagnostics) =>
        defineResource({ ...named, rule }, diagnostics),
      )
    }
  }

  /**
   * Adds a completion for an argument of a prompt, or for a variable of a resource template.
   *
   * @throws BootError as `addTool` does, and when the prompt or template is not served.
   */
  addCompletion(completion: AddedCompletion): void {
    requireOneObject('completion', completion)
    const { handler, hooks, origin, authorize: _, allowAnonymous: __, ...target } = completion
    const runnable = runnableOf(handler, hooks, origin ?? `completion '${completionKey(target)}'`)
    this.#add('completion', this.completions, completion, runnable.origin, (rule, diagnostics) => {
      const defined = defineCompletion(target, { ...runnable, rule, transports: null })
      checkCompletionTarget(defined, this, diagnostics)
      return defined
    })
  }

  /**
   * Removes features, and then adds features, as one change: no request is served in between, and clients are notified once.
   *
   * @throws BootError with the problems of all features. The catalog is then unchanged.
   */
  replace({ remove = {}, add = {} }: CatalogReplacement): void {
    const diagnostics = new Diagnostics()
    const restore = copyRegistries(this)
    for (const name of remove.tools ?? []) this.removeTool(name)
    for (const name of remove.prompts ?? []) this.removePrompt(name)
    for (const uri of remove.resources ?? []) this.removeResource(uri)
    // Tools refer to their pages, and completions to prompts and templates.
    for (const resource of add.resources ?? []) collectThrown(diagnostics, () => this.addResource(resource))
    for (const prompt of add.prompts ?? []) collectThrown(diagnostics, () => this.addPrompt(prompt))
    for (const tool of add.tools ?? []) collectThrown(diagnostics, () => this.addTool(tool))
    for (const completion of add.completions ?? []) collectThrown(diagnostics, () => this.addCompletion(completion))
    if (diagnostics.count > 0) restore()
    diagnostics.throwIfAny('The features cannot be replaced')
  }

  /**
   * Shows features that `disable` or `enabled: false` hides. `enabled` functions still decide for each caller.
   *
   * @param which The name of a tool or prompt, the URI or template of a resource, or tags, one of which the features must have.
   * @throws BootError if no feature has the name or the tag.
   */
  enable(which: string | Tagged): void {
    this.#enabling.decide('enable', which)
  }

  /**
   * Hides features from all callers, on all nodes that share a `changeBus`: they are not listed, and calls get the error of an
   * unknown feature. Calls in flight are not affected. The latest decision about a feature applies, by name or by tag, also to
   * features that are added later. Decisions made before the server is ready apply to this node only.
   *
   * @param which As in {@link enable}.
   * @throws BootError as {@link enable} does.
   */
  disable(which: string | Tagged): void {
    this.#enabling.decide('disable', which)
  }

  /** Removes a tool. Calls in flight are not affected. Returns whether the tool existed. */
  removeTool(name: string): boolean {
    return removeFrom(this.tools, name)
  }

  /** Removes a prompt and the completions of its arguments. Returns whether the prompt existed. */
  removePrompt(name: string): boolean {
    return this.#removeCompleted(this.prompts, name, (target) => 'prompt' in target && target.prompt === name)
  }

  /**
   * Removes a resource, or a template and the completions of its variables. Returns whether the resource or template existed.
   *
   * @param uri A URI or a URI template.
   */
  removeResource(uri: string): boolean {
    const isOf = (target: CompletionTarget): boolean => 'resource' in target && target.resource === uri
    return removeFrom(this.resources, uri) || this.#removeCompleted(this.resourceTemplates, uri, isOf)
  }

  /** Removes a completion. Returns whether the completion existed. */
  removeCompletion(target: CompletionTarget): boolean {
    return removeFrom(this.completions, completionKey(target))
  }

  /** Removes a feature with its completions. Otherwise, the completions would apply to a later feature with the same name. */
  #removeCompleted<Definition extends Runnable>(
    registry: FeatureRegistry<Definition>,
    key: string,
    isOf: (target: CompletionTarget) => boolean,
  ): boolean {
    if (!removeFrom(registry, key)) return false
    for (const { target } of this.completions.all) if (isOf(target)) this.removeCompletion(target)
    return true
  }

  #add<Definition extends Runnable>(
    kind: FeatureKind,
    registry: FeatureRegistry<Definition>,
    added: AddedAccess,
    origin: string,
    define: (rule: AccessRule | null, diagnostics: Diagnostics) => Definition | null,
  ): void {
    const diagnostics = new Diagnostics()
    checkAddedOptions(origin, kind, added, diagnostics)
    const definition = define(this.#rules.ofAdded(kind, added, origin, diagnostics), diagnostics)
    const name = origin.charAt(0).toUpperCase() + origin.slice(1)
    if (definition !== null) checkAdded(definition, diagnostics)
    if (definition !== null && registry.get(registry.keyOf(definition)) !== undefined) {
      diagnostics.add('duplicate-name', `${name} is already served. Remove it first, or choose another name.`)
    }
    diagnostics.throwIfAny(`${name} cannot be added`)
    if (definition !== null) addTo(registry, definition)
  }
}
ownedHere(Catalog)

function runnableOf(handler: FeatureFunction, hooks: readonly CallHook[] | undefined, origin: string) {
  return { source: { kind: 'function', handler } as const, hooks: hooks ?? [], origin }
}

/** Checks the types of the handler and the hooks, because untyped code can pass other values. */
function checkAdded({ source, hooks, origin }: Runnable, diagnostics: Diagnostics): void {
  if (Array.isArray(hooks)) for (const hook of hooks) checkHookObject(hook, `${origin}, its hooks`, diagnostics)
  else diagnostics.addBadOption(`${origin}: hooks`, hooks, 'Give an array of objects.')
  if (source.kind !== 'function' || typeof source.handler === 'function') return
  diagnostics.addBadOption(`${origin}: its handler`, source.handler, 'Give a function.')
}
