import type { AccessRule } from '../authorization/access-rule.js'
import type { Audience } from '../context/audience.js'
import type { EnabledDecision } from '../context/enabled-decision.js'
import { isServedOverAny, networkTransports } from '../context/viewer.js'
import { ownedHere } from '../copies/copies.js'
import { collectThrown, Diagnostics } from '../errors/diagnostics.js'
import type { ErrorLog } from '../errors/log-failure.js'
import type { CallHook } from '../hooks/call-hook.js'
import type { FeatureKind } from '../hooks/feature-call.js'
import type { AuthorizeOptions } from '../metadata/feature-options.js'
import type { CompletionTarget } from '../metadata/types.js'
import type { InputSchema, OutputSchema } from '../model.js'
import { adviceOn } from '../options/check-names.js'
import type { AddedCompletion, AddedPrompt, AddedResource, AddedTool, CatalogReplacement } from './added-features.js'
import {
  type AddedAccess,
  AuthorizationResolver,
  type AuthorizationResolverOptions,
} from './authorization/authorization-resolver.js'
import { checkAppPage } from './define/app-pages.js'
import { checkAddedOptions, requireOneObject } from './define/check-option-names.js'
import { checkCompletionTarget, completionKey, defineCompletion } from './define/define-completion.js'
import { definePrompt } from './define/define-prompt.js'
import { defineResource, defineResourceTemplate } from './define/define-resource.js'
import { defineTool } from './define/define-tool.js'
import type {
  CatalogEntry,
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
import { addTo, type FeatureRegistries, FeatureRegistry, removeFrom, watchEnabled } from './feature-registry.js'
import { checkHookObject } from './injection/check-hooks.js'
import { readSelection, type Tagged } from './read-selection.js'
import { isUriTemplate } from './uri-template.js'

interface AnyFeatureRegistry {
  readonly kind: FeatureKind
  readonly registry: Pick<
    FeatureRegistry<FeatureDefinition>,
    'all' | 'entries' | 'offers' | 'isEnabled' | 'isGuarded' | 'dependsOnCaller' | 'isOpen'
  >
}

/**
 * Returns the state of a catalog, for the server that shares the decisions of `enable` and `disable` with other nodes.
 *
 * @param log Writes the errors of `enabled` functions.
 * @param onDecided Called for each decision, before clients are notified.
 */
export let shareEnabled: (
  catalog: Catalog,
  log: ErrorLog,
  onDecided: (decisions: readonly EnabledDecision[]) => void,
) => EnabledState

export let adoptEnabled: (catalog: Catalog, decisions: readonly EnabledDecision[]) => void

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
  readonly #state = new EnabledState()
  #onDecided: (decisions: readonly EnabledDecision[]) => void = () => undefined

  static {
    shareEnabled = (catalog, log, onDecided) => {
      catalog.#state.log = log
      catalog.#onDecided = onDecided
      return catalog.#state
    }
    adoptEnabled = (catalog, decisions) => catalog.#changeEnabled(() => catalog.#state.adopt(decisions))
  }

  /** @param rules Determines who is allowed to use features that are added at run time. */
  constructor(rules: AuthorizationResolver) {
    this.#rules = rules
    this.tools = new FeatureRegistry(({ name }) => name, this.#state)
    this.prompts = new FeatureRegistry(({ name }) => name, this.#state)
    this.resources = new FeatureRegistry(({ uri }) => uri, this.#state)
    this.resourceTemplates = new FeatureRegistry(({ template }) => template.text, this.#state)
    this.completions = new FeatureRegistry(({ target }) => completionKey(target), this.#state)
    this.registries = [
      { kind: 'tool', registry: this.tools },
      { kind: 'prompt', registry: this.prompts },
      { kind: 'resource', registry: this.resources },
      { kind: 'resource', registry: this.resourceTemplates },
      { kind: 'completion', registry: this.completions },
    ]
  }

  /** Identifies this server among the nodes that share a bus. Internal. */
  get node(): string {
    return this.#state.node
  }

  /** The options of access rules. Internal. */
  get ruleOptions(): AuthorizationResolverOptions {
    return this.#rules.options
  }

  /** The rule of features that cannot declare a rule, such as skills and their files. `null`: open to all callers. */
  get defaultRule(): AccessRule | null {
    return this.#rules.default
  }

  /**
   * Returns the audience with these roles and scopes; `null`: all callers. Internal.
   *
   * @param needed `null`: the server's default rule.
   */
  audienceOf(needed: Pick<AuthorizeOptions, 'roles' | 'scopes'> | null, diagnostics: Diagnostics): Audience | null {
    if (needed === null) return audienceOfRule(this.defaultRule)
    const { roles = [], scopes = [] } = needed
    const given = { ...(roles.length > 0 ? { roles } : {}), ...(scopes.length > 0 ? { scopes } : {}) }
    return audienceOfRule(this.#rules.ofAdded('tool', { authorize: given }, 'notify', diagnostics))
  }

  /** Whether at least one feature has an access rule. If so, different callers can see different features. */
  get isGuarded(): boolean {
    return this.registries.some(({ registry }) => registry.isGuarded)
  }

  /** Whether different callers can see different features: because of a rule, or of an `enabled` function. */
  get dependsOnCaller(): boolean {
    return this.registries.some(({ registry }) => registry.dependsOnCaller)
  }

  /** Whether a class or the options allow anonymous callers to use a feature over the network. */
  get isOpen(): boolean {
    const { isInUse, default: access } = this.#rules.options
    if (!isInUse) return false
    // Completions are left out: without access to the prompt or template, a caller cannot use its completion.
    return (
      access === 'anonymous' || this.registries.some(({ kind, registry }) => kind !== 'completion' && registry.isOpen)
    )
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
    const restore = this.#copy()
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
    this.#decide('enable', which, true)
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
    this.#decide('disable', which, false)
  }

  #decide(method: 'enable' | 'disable', which: string | Tagged, isEnabled: boolean): void {
    const diagnostics = new Diagnostics()
    const [by, values] = readSelection(method, which, diagnostics)
    for (const value of values) this.#checkKnown(method, by, value, diagnostics)
    diagnostics.throwIfAny(`Features cannot be ${method}d`)
    // Other nodes get the decisions before their clients are notified of the changed lists.
    this.#changeEnabled(() => this.#onDecided(this.#state.decide(by, values, isEnabled)))
  }

  #changeEnabled(change: () => void): void {
    const { tools, prompts, resources, resourceTemplates, completions } = this
    const notify = [
      watchEnabled(tools),
      watchEnabled(prompts),
      watchEnabled(resources),
      watchEnabled(resourceTemplates),
      watchEnabled(completions),
    ]
    change()
    for (const notifyOf of notify) notifyOf()
  }

  #checkKnown(method: string, by: EnabledDecision['by'], value: string, diagnostics: Diagnostics): void {
    if (this.#state.hasDecision(by, value)) return
    const { tools, prompts, resources, resourceTemplates } = this
    const known = new Set(
      by === 'name'
        ? [tools, prompts, resources, resourceTemplates].flatMap((registry) => [...registry.keys()])
        : this.registries.flatMap(({ registry }) => registry.all.flatMap(({ tags }) => tags)),
    )
    if (known.has(value)) return
    const advice = adviceOn(value, [...known], 'The report of explain() lists all names and tags.')
    diagnostics.add('bad-option', `catalog.${method}: no feature has the ${by} '${value}'. ${advice}`)
  }

  #copy(): () => void {
    const { tools, prompts, resources, resourceTemplates, completions } = this
    const copies = [copyOf(tools), copyOf(prompts), copyOf(resources), copyOf(resourceTemplates), copyOf(completions)]
    return () => {
      for (const restore of copies) restore()
    }
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

/**
 * Returns the audience of notifications about a feature: the callers with one role of each group, and all scopes, of its rule.
 * Callers who lack a scope are not notified, even if their lists contain the feature.
 */
function audienceOfRule(rule: AccessRule | null): Audience | null {
  return rule === null ? null : { roles: rule.roles, scopes: rule.scopes.map(({ grantedBy }) => grantedBy) }
}

function copyOf<Definition extends CatalogEntry>(registry: FeatureRegistry<Definition>): () => void {
  const before = new Map(registry.entries())
  return () => {
    for (const [key, definition] of registry.entries()) if (before.get(key) !== definition) removeFrom(registry, key)
    for (const [key, definition] of before) if (registry.get(key) === undefined) addTo(registry, definition)
  }
}

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
