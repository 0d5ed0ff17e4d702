import type { DependencyGraph } from '../catalog/injection/dependency-graph.js'
import type { AppContainer } from '../container/app-container.js'
import { ConstructorFailure } from '../container/constructor-failure.js'
import type { InjectionToken } from '../container/tsyringe.js'
import type { Diagnostics } from '../errors/diagnostics.js'

interface Made {
  readonly container: AppContainer
  readonly graph: DependencyGraph
}

/**
 * The one instance of a class that lives as long as the server.
 *
 * @throws ConstructorFailure
 */
export function makeAtBoot(token: InjectionToken, { container, graph }: Made): unknown {
  const isSingleton = graph.lifetimeOf(token, '') === 'singleton'
  return isSingleton ? container.resolveSingleton(token) : container.controller(token)
}

/** @throws what is thrown by anything but a constructor: that is no mistake of the developer. */
export function reportFailedConstructor(error: unknown, diagnostics: Diagnostics): void {
  if (!(error instanceof ConstructorFailure)) throw error
  diagnostics.add('constructor-failed', error.message, error.thrown)
}
