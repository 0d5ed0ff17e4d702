import type { AppContainer } from '../container/app-container.js'
import type { InjectionToken } from '../container/tsyringe.js'
import { McpContext } from '../context/mcp-context.js'
import type { Problems } from '../errors/problems.js'
import type { Catalog } from './catalog.js'
import { DependencyGraph } from './dependency-graph.js'
import { isInjectable } from './emitted-types.js'

/** Checks everything that the catalog's handlers have injected. */
export function checkDependencies(catalog: Catalog, container: AppContainer, problems: Problems): DependencyGraph {
  const graph = new DependencyGraph(container, problems, new Set<InjectionToken>([McpContext]))
  for (const { source, origin } of catalog.tools) {
    if (source.kind === 'function') continue
    graph.lifetimeOf(source.controller as InjectionToken, source.controller.name)
    for (const [index, parameter] of source.parameters.entries()) {
      const where = `${origin}, parameter ${index}`
      // What is not injectable was reported when the method was defined.
      if (parameter.from === 'container' && isInjectable(parameter.token)) graph.lifetimeOf(parameter.token, where)
    }
  }
  return graph
}
