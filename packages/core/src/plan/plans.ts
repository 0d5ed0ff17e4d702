import type { ResourcePlan } from '../call/find-resource.js'
import type { Catalog } from '../catalog/catalog.js'
import type { Runnable } from '../catalog/definitions.js'
import type { FeatureRegistry } from '../catalog/feature-registry.js'
import { normalUri } from '../catalog/normal-uri.js'
import { Diagnostics } from '../errors/diagnostics.js'
import type { Bindings } from './bind-handler.js'
import { type CompletionPlan, compileCompletionPlan } from './completion-plan.js'
import { reportFailedConstructor } from './make-at-boot.js'
import { compilePromptPlan, type PromptPlan } from './prompt-plan.js'
import { compileResourcePlan } from './resource-plan.js'
import { compileToolPlan, type ToolPlan } from './tool-plan.js'

export interface Plans {
  readonly tools: ReadonlyMap<string, ToolPlan>
  readonly prompts: ReadonlyMap<string, PromptPlan>
  readonly resources: ReadonlyMap<string, ResourcePlan>
  readonly resourceTemplates: ReadonlyMap<string, ResourcePlan>
  readonly completions: ReadonlyMap<string, CompletionPlan>
}

/**
 * Compiles all plans, which also creates the controllers. A constructor that throws is a boot problem. A constructor
 * that changes the catalog also changes the plans.
 */
export function compilePlans(catalog: Catalog, bindings: Bindings, timeoutMs: number, diagnostics: Diagnostics): Plans {
  const followed: Pick<RegistryPlans<Runnable, unknown>, 'compileMissing' | 'endBoot'>[] = []
  const follow = <Definition extends Runnable, Plan>(
    registry: FeatureRegistry<Definition>,
    compile: (definition: Definition, bindings: Bindings, timeoutMs: number) => Plan,
    more?: PlanPlacement<Definition, Plan>,
  ): ReadonlyMap<string, Plan> => {
    const own = new RegistryPlans(
      registry,
      (definition) => compile(definition, bindingsOf(definition, bindings), timeoutMs),
      more,
    )
    followed.push(own)
    return own.plans
  }
  const plans = {
    tools: follow(catalog.tools, compileToolPlan),
    prompts: follow(catalog.prompts, compilePromptPlan),
    resources: follow(catalog.resources, compileResourcePlan, { keyOf: ({ uri }) => normalUri(uri) }),
    resourceTemplates: follow(catalog.resourceTemplates, compileResourcePlan, { place: moveBehind }),
    completions: follow(catalog.completions, compileCompletionPlan),
  }
  const mounts = new Set(
    catalog.registries.flatMap(({ registry }) => registry.all.flatMap(({ mounted }) => mounted ?? [])),
  )
  for (const injection of [bindings, ...mounts]) if (!makeSingletons(injection, diagnostics)) return plans
  // The loop repeats, because a constructor can add features to a registry that was already compiled.
  for (let isMore = true; isMore; ) isMore = followed.some((registry) => registry.compileMissing(diagnostics))
  for (const registry of followed) registry.endBoot()
  return plans
}

function bindingsOf({ mounted }: Runnable, bindings: Bindings): Bindings {
  if (mounted === undefined) return bindings
  const { container, graph } = mounted
  return { ...bindings, container, graph }
}

interface PlanPlacement<Definition, Plan> {
  /** Key of a plan. Default: the key in the registry. */
  readonly keyOf?: (definition: Definition) => string
  readonly place?: (plans: Map<string, Plan>, key: string) => void
}

/**
 * The plans of one registry, updated when the registry changes. Features that are added during boot are compiled at the end of
 * boot, because the constructor of a hook can add a feature with the same hook.
 */
class RegistryPlans<Definition extends Runnable, Plan> {
  readonly plans = new Map<string, Plan>()
  readonly #tried = new Set<Definition>()
  readonly #keyOf: (definition: Definition) => string
  readonly #place: (plans: Map<string, Plan>, key: string) => void
  #isBooting = true

  constructor(
    private readonly registry: FeatureRegistry<Definition>,
    private readonly compile: (definition: Definition) => Plan,
    { keyOf = registry.keyOf, place = () => undefined }: PlanPlacement<Definition, Plan> = {},
  ) {
    this.#keyOf = keyOf
    this.#place = place
    registry.onChange((change) => {
      if (change.kind === 'removed') this.plans.delete(keyOf(change.definition))
      else if (change.kind === 'added' && !this.#isBooting) this.#addLate(change.definition)
    })
  }

  compileMissing(diagnostics: Diagnostics): boolean {
    const missing = this.registry.all.filter((definition) => !this.#tried.has(definition))
    // The first pass compiles all definitions in order, so plans need not be moved.
    const isFirst = this.#tried.size === 0
    for (const definition of missing) {
      this.#tried.add(definition)
      this.#add(definition, diagnostics)
      if (!isFirst) this.#place(this.plans, this.#keyOf(definition))
    }
    return missing.length > 0
  }

  /** Ends the boot phase: from now on, definitions are compiled when they are added. */
  endBoot(): void {
    this.#isBooting = false
    this.#tried.clear()
  }

  #addLate(definition: Definition): void {
    const diagnostics = new Diagnostics()
    this.#add(definition, diagnostics)
    diagnostics.throwIfAny(`${definition.origin} cannot be added`)
    this.#place(this.plans, this.#keyOf(definition))
  }

  #add(definition: Definition, diagnostics: Diagnostics): void {
    const { plans, registry } = this
    const key = this.#keyOf(definition)
    if (plans.has(key)) {
      diagnostics.add('duplicate-name', `${definition.origin} is already registered, in another spelling. Remove one.`)
      return
    }
    try {
      const plan = this.compile(definition)
      // A constructor can remove the definition.
      if (registry.get(registry.keyOf(definition)) === definition) plans.set(key, plan)
    } catch (error) {
      reportFailedConstructor(error, diagnostics)
    }
  }
}

/**
 * Moves all plans with a greater key behind the added plan, which is last in the map. The map must stay sorted: among
 * equally specific templates, the first is used.
 */
function moveBehind<Plan>(plans: Map<string, Plan>, added: string): void {
  const behind = [...plans].filter(([key]) => key > added)
  for (const [key, plan] of behind) {
    plans.delete(key)
    plans.set(key, plan)
  }
}

/**
 * Creates all injected singletons in the application's container at boot. A singleton that tsyringe creates during a call would
 * get the values of this call, and would be disposed with the call.
 */
function makeSingletons(
  { container, graph }: Pick<Bindings, 'container' | 'graph'>,
  diagnostics: Diagnostics,
): boolean {
  const before = diagnostics.count
  for (const token of graph.singletons) {
    try {
      container.resolveSingleton(token)
    } catch (error) {
      reportFailedConstructor(error, diagnostics)
    }
  }
  return diagnostics.count === before
}
