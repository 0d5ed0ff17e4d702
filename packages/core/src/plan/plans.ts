import type { Catalog } from '../catalog/catalog.js'
import type { Runnable } from '../catalog/definitions.js'
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

/** Compiles every plan, which also makes the controllers: a constructor that throws is a boot problem. */
export function compilePlans(catalog: Catalog, bindings: Bindings, timeoutMs: number, problems: Problems): Plans {
  const canCompile = makeSingletons(bindings, problems)
  const follow = <Definition extends Runnable, Plan>(
    shelf: Shelf<Definition>,
    compile: (definition: Definition, bindings: Bindings, timeoutMs: number) => Plan,
    place?: (plans: Map<string, Plan>, key: string) => void,
  ): ReadonlyMap<string, Plan> =>
    canCompile
      ? followShelf(shelf, (definition) => compile(definition, bindings, timeoutMs), problems, place)
      : new Map()
  return {
    tools: follow(catalog.tools, compileToolPlan),
    prompts: follow(catalog.prompts, compilePromptPlan),
    resources: follow(catalog.resources, compileResourcePlan),
    resourceTemplates: follow(catalog.resourceTemplates, compileResourcePlan, moveBehind),
    completions: follow(catalog.completions, compileCompletionPlan),
  }
}

/** Compiles what is on the shelf, and from then on whatever is put there. */
function followShelf<Definition extends Runnable, Plan>(
  shelf: Shelf<Definition>,
  compile: (definition: Definition) => Plan,
  problems: Problems,
  place: (plans: Map<string, Plan>, key: string) => void = () => undefined,
): ReadonlyMap<string, Plan> {
  const plans = new Map<string, Plan>()
  for (const definition of shelf.all) {
    addPlan(plans, shelf.keyOf(definition), definition, compile, problems)
  }
  shelf.onChange((change) => {
    if (change.kind === 'removed') plans.delete(change.key)
    else {
      const own = new Problems()
      const key = shelf.keyOf(change.definition)
      addPlan(plans, key, change.definition, compile, own)
      own.throwIfAny(`${change.definition.origin} cannot be added`)
      place(plans, key)
    }
  })
  return plans
}

/** Moves what belongs behind an added plan there: of templates that overlap, the first in order of their text serves. */
function moveBehind<Plan>(plans: Map<string, Plan>, added: string): void {
  const behind = [...plans].filter(([key]) => key > added)
  for (const [key, plan] of behind) {
    plans.delete(key)
    plans.set(key, plan)
  }
}

function addPlan<Definition extends Runnable, Plan>(
  plans: Map<string, Plan>,
  key: string,
  definition: Definition,
  compile: (definition: Definition) => Plan,
  problems: Problems,
): void {
  try {
    plans.set(key, compile(definition))
  } catch (error) {
    reportFailedConstructor(error, problems)
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
