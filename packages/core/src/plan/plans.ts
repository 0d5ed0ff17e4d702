import type { Catalog } from '../catalog/catalog.js'
import type { Runnable } from '../catalog/definitions.js'
import { normalUri } from '../catalog/normal-uri.js'
import type { Shelf } from '../catalog/shelf.js'
import { Problems } from '../errors/problems.js'
import type { Bindings } from './bind-handler.js'
import { type CompletionPlan, compileCompletionPlan } from './completion-plan.js'
import { reportFailedConstructor } from './make-at-boot.js'
import { compilePromptPlan, type PromptPlan } from './prompt-plan.js'
import { compileResourcePlan, type ResourcePlan } from './resource-plan.js'
import { compileToolPlan, type ToolPlan } from './tool-plan.js'

/** The plans of all features by the keys of the catalog, and kept in step with it. */
export interface Plans {
  readonly tools: ReadonlyMap<string, ToolPlan>
  readonly prompts: ReadonlyMap<string, PromptPlan>
  readonly resources: ReadonlyMap<string, ResourcePlan>
  readonly resourceTemplates: ReadonlyMap<string, ResourcePlan>
  readonly completions: ReadonlyMap<string, CompletionPlan>
}

/**
 * Compiles every plan, which also makes the controllers: a constructor that throws is a boot problem. One that changes the
 * catalog finds its changes in the plans.
 */
export function compilePlans(catalog: Catalog, bindings: Bindings, timeoutMs: number, problems: Problems): Plans {
  const followed: Pick<ShelfPlans<Runnable, unknown>, 'compileMissing' | 'endBoot'>[] = []
  const follow = <Definition extends Runnable, Plan>(
    shelf: Shelf<Definition>,
    compile: (definition: Definition, bindings: Bindings, timeoutMs: number) => Plan,
    more?: Following<Definition, Plan>,
  ): ReadonlyMap<string, Plan> => {
    const own = new ShelfPlans(shelf, (definition) => compile(definition, bindings, timeoutMs), more)
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
  if (!makeSingletons(bindings, problems)) return plans
  // Again while there is more: a constructor may have added it to a shelf whose turn was over.
  for (let isMore = true; isMore; ) isMore = followed.some((shelf) => shelf.compileMissing(problems))
  for (const shelf of followed) shelf.endBoot()
  return plans
}

/** What is special about the plans of one shelf. */
interface Following<Definition, Plan> {
  /** What its plan is found by. Default: the key on the shelf. */
  readonly keyOf?: (definition: Definition) => string
  readonly place?: (plans: Map<string, Plan>, key: string) => void
}

/**
 * The plans of one shelf, kept in step with it. At boot what is added waits: it may be added by the constructor of a hook
 * that it needs itself.
 */
class ShelfPlans<Definition extends Runnable, Plan> {
  readonly plans = new Map<string, Plan>()
  readonly #tried = new Set<Definition>()
  readonly #keyOf: (definition: Definition) => string
  readonly #place: (plans: Map<string, Plan>, key: string) => void
  #isBooting = true

  constructor(
    private readonly shelf: Shelf<Definition>,
    private readonly compile: (definition: Definition) => Plan,
    { keyOf = shelf.keyOf, place = () => undefined }: Following<Definition, Plan> = {},
  ) {
    this.#keyOf = keyOf
    this.#place = place
    shelf.onChange((change) => {
      if (change.kind === 'removed') this.plans.delete(keyOf(change.definition))
      else if (!this.#isBooting) this.#addLate(change.definition)
    })
  }

  /** Compiles what has no plan. Returns whether there was anything. */
  compileMissing(problems: Problems): boolean {
    const missing = this.shelf.all.filter((definition) => !this.#tried.has(definition))
    // The first time all of them come, in their order.
    const isFirst = this.#tried.size === 0
    for (const definition of missing) {
      this.#tried.add(definition)
      this.#add(definition, problems)
      if (!isFirst) this.#place(this.plans, this.#keyOf(definition))
    }
    return missing.length > 0
  }

  /** From now on, whatever is put on the shelf has its plan at once. */
  endBoot(): void {
    this.#isBooting = false
    this.#tried.clear()
  }

  /** @throws BootError */
  #addLate(definition: Definition): void {
    const problems = new Problems()
    this.#add(definition, problems)
    problems.throwIfAny(`${definition.origin} cannot be added`)
    this.#place(this.plans, this.#keyOf(definition))
  }

  #add(definition: Definition, problems: Problems): void {
    const { plans, shelf } = this
    const key = this.#keyOf(definition)
    if (plans.has(key)) {
      problems.add('duplicate-name', `${definition.origin} is served already, in another spelling. Remove one.`)
      return
    }
    const plan = compileReported(definition, this.compile, problems)
    // A constructor may have removed it.
    if (plan !== null && shelf.get(shelf.keyOf(definition)) === definition) plans.set(key, plan)
  }
}

/** Moves what belongs behind an added plan there: of templates that are as specific, the first in order of their text serves. */
function moveBehind<Plan>(plans: Map<string, Plan>, added: string): void {
  const behind = [...plans].filter(([key]) => key > added)
  for (const [key, plan] of behind) {
    plans.delete(key)
    plans.set(key, plan)
  }
}

/** @returns `null` when a constructor failed. */
function compileReported<Definition, Plan>(
  definition: Definition,
  compile: (definition: Definition) => Plan,
  problems: Problems,
): Plan | null {
  try {
    return compile(definition)
  } catch (error) {
    reportFailedConstructor(error, problems)
    return null
  }
}

/**
 * Makes every singleton that is injected anywhere, from the application's own container: tsyringe would make it inside
 * the first call that needs it, with that call's values, and dispose it with that call.
 */
function makeSingletons({ container, graph }: Bindings, problems: Problems): boolean {
  const before = problems.count
  for (const token of graph.singletons) {
    try {
      container.resolveSingleton(token)
    } catch (error) {
      reportFailedConstructor(error, problems)
    }
  }
  return problems.count === before
}
