import type { AppContainer } from '../container/app-container.js'
import type { InjectionToken } from '../container/tsyringe.js'
import { McpContext } from '../context/mcp-context.js'
import type { Problems } from '../errors/problems.js'
import { emittedMethodTypes } from '../metadata/store.js'
import type { Runnable } from './definitions.js'
import { DependencyGraph } from './dependency-graph.js'

/** Checks everything that handlers have injected. */
export function checkDependencies(
  features: readonly Runnable[],
  container: AppContainer,
  problems: Problems,
): DependencyGraph {
  const methods = features.flatMap(({ source, origin }) => (source.kind === 'method' ? [{ ...source, origin }] : []))
  const metadataIsOn = methods.some(
    ({ controller, method }) => emittedMethodTypes(controller, method).parameters !== undefined,
  )
  const graph = new DependencyGraph({ container, problems, metadataIsOn, callTokens: new Set([McpContext]) })
  for (const { controller, parameters, origin } of methods) {
    graph.lifetimeOf(controller as InjectionToken, controller.name)
    for (const [index, parameter] of parameters.entries()) {
      if (parameter.from === 'container') graph.lifetimeOf(parameter.token, describeParameter(origin, index))
    }
  }
  return graph
}

function describeParameter(origin: string, index: number): string {
  // Whoever forgot the schema does not know that anything is injected here.
  const reason = index === 0 ? ' (injected, because there is no `input` schema)' : ''
  return `${origin}, parameter ${index}${reason}`
}
