import type { Catalog } from '../catalog/catalog.js'
import type { Runnable } from '../catalog/definitions.js'
import type { Shelf } from '../catalog/shelf.js'
import type { Problems } from '../errors/problems.js'
import type { Bindings } from './bind-handler.js'
import { type CompletionPlan, compileCompletionPlan } from './completion-plan.js'
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
  const follow = <Definition extends Runnable, Plan>(
    shelf: Shelf<Definition>,
    compile: (definition: Definition, bindings: Bindings, timeoutMs: number) => Plan,
  ): ReadonlyMap<string, Plan> => followShelf(shelf, (definition) => compile(definition, bindings, timeoutMs), problems)
  return {
    tools: follow(catalog.tools, compileToolPlan),
    prompts: follow(catalog.prompts, compilePromptPlan),
    resources: follow(catalog.resources, compileResourcePlan),
    resourceTemplates: follow(catalog.resourceTemplates, compileResourcePlan),
    completions: follow(catalog.completions, compileCompletionPlan),
  }
}

/** Compiles what is on the shelf, and from then on whatever is put there. */
function followShelf<Definition extends Runnable, Plan>(
  shelf: Shelf<Definition>,
  compile: (definition: Definition) => Plan,
  problems: Problems,
): ReadonlyMap<string, Plan> {
  const plans = new Map<string, Plan>()
  for (const definition of shelf.all) {
    try {
      plans.set(shelf.keyOf(definition), compile(definition))
    } catch (error) {
      problems.add('constructor-failed', describeFailure(definition, error))
    }
  }
  shelf.onChange((change) => {
    if (change.kind === 'removed') plans.delete(change.key)
    else plans.set(shelf.keyOf(change.definition), compile(change.definition))
  })
  return plans
}

function describeFailure({ source, origin }: Runnable, error: unknown): string {
  const what = source.kind === 'method' ? source.controller.name : origin
  const cause = error instanceof Error ? error.message : String(error)
  return `${what} could not be created: ${cause}`
}
