import type { AppContainer } from '../container/app-container.js'
import type { InjectionToken } from '../container/tsyringe.js'
import { McpContext } from '../context/mcp-context.js'
import type { Problems } from '../errors/problems.js'
import type { Catalog } from './catalog.js'
import type { Runnable } from './definitions.js'
import { DependencyGraph } from './dependency-graph.js'
import { isInjectable } from './emitted-types.js'

/** Checks everything that the catalog's handlers have injected. */
export function checkDependencies(catalog: Catalog, container: AppContainer, problems: Problems): DependencyGraph {
  const graph = new DependencyGraph(container, problems, new Set<InjectionToken>([McpContext]))
  const { tools, prompts, resources, resourceTemplates, completions } = catalog
  for (const shelf of [tools, prompts, resources, resourceTemplates, completions]) {
    for (const feature of shelf.all) checkFeature(feature, graph)
  }
  return graph
}

function checkFeature({ source, origin }: Runnable, graph: DependencyGraph): void {
  if (source.kind === 'function') return
  graph.lifetimeOf(source.controller as InjectionToken, source.controller.name)
  for (const [index, parameter] of source.parameters.entries()) {
    const where = `${origin}, parameter ${index}`
    // What is not injectable was reported when the method was defined.
    if (parameter.from === 'container' && isInjectable(parameter.token)) graph.lifetimeOf(parameter.token, where)
  }
}
