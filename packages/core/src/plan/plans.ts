import type { Catalog } from '../catalog/catalog.js'
import type { ToolDefinition } from '../catalog/tool-definition.js'
import { describeToken } from '../container/describe-token.js'
import { describeThrown, type Problems } from '../errors/problems.js'
import type { Bindings } from './bind-handler.js'
import { compileToolPlan, type ToolPlan } from './tool-plan.js'

/** The plans of all features, kept in step with the catalog. */
export interface Plans {
  readonly tools: ReadonlyMap<string, ToolPlan>
}

/** Compiles every plan, which also makes the controllers: a constructor that throws is a boot problem. */
export function compilePlans(catalog: Catalog, bindings: Bindings, callTimeoutMs: number, problems: Problems): Plans {
  const tools = new Map<string, ToolPlan>()
  if (!makeSingletons(bindings, problems)) return { tools }
  const compile = (tool: ToolDefinition): void => {
    tools.set(tool.name, compileToolPlan(tool, bindings, callTimeoutMs))
  }
  for (const tool of catalog.tools) {
    try {
      compile(tool)
    } catch (error) {
      const name = tool.source.kind === 'method' ? tool.source.controller.name : tool.origin
      problems.add('constructor-failed', describeFailure(name, error), error)
    }
  }
  catalog.onChange(({ added, removed }) => {
    for (const name of removed) tools.delete(name)
    for (const tool of added) compile(tool)
  })
  return { tools }
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
      problems.add('constructor-failed', describeFailure(describeToken(token), error), error)
    }
  }
  return problems.count === before
}

function describeFailure(name: string, error: unknown): string {
  return `${name} could not be made at boot, because a constructor threw: ${describeThrown(error)}`
}
