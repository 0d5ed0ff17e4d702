import type { Catalog } from '../catalog/catalog.js'
import type { ToolDefinition } from '../catalog/tool-definition.js'
import type { Problems } from '../errors/problems.js'
import type { Bindings } from './bind-handler.js'
import { compileToolPlan, type ToolPlan } from './tool-plan.js'

/** The plans of all features, kept in step with the catalog. */
export interface Plans {
  readonly tools: ReadonlyMap<string, ToolPlan>
}

/** Compiles every plan, which also makes the controllers: a constructor that throws is a boot problem. */
export function compilePlans(catalog: Catalog, bindings: Bindings, callTimeoutMs: number, problems: Problems): Plans {
  const tools = new Map<string, ToolPlan>()
  const compile = (tool: ToolDefinition): void => {
    tools.set(tool.name, compileToolPlan(tool, bindings, callTimeoutMs))
  }
  for (const tool of catalog.tools) {
    try {
      compile(tool)
    } catch (error) {
      problems.add('constructor-failed', describeFailure(tool, error))
    }
  }
  catalog.onChange(({ added, removed }) => {
    for (const name of removed) tools.delete(name)
    for (const tool of added) compile(tool)
  })
  return { tools }
}

function describeFailure({ source, origin }: ToolDefinition, error: unknown): string {
  const what = source.kind === 'method' ? source.controller.name : origin
  const cause = error instanceof Error ? error.message : String(error)
  return `${what} could not be created: ${cause}`
}
