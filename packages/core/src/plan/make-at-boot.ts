import type { DependencyGraph } from '../catalog/injection/dependency-graph.js'
import type { AppContainer } from '../container/app-container.js'
import { ConstructorFailure } from '../container/constructor-failure.js'
import type { InjectionToken } from '../container/tsyringe.js'
import type { Diagnostics } from '../errors/diagnostics.js'

interface Injection {
  readonly container: AppContainer
  readonly graph: DependencyGraph
}

export function makeAtBoot(token: InjectionToken, { container, graph }: Injection): unknown {
  const isSingleton = graph.lifetimeOf(token, '') === 'singleton'
  return isSingleton ? container.resolveSingleton(token) : container.controller(token)
}

/** Reports a failed constructor as a boot problem. @throws all other errors: they are not the developer's mistakes */
export function reportFailedConstructor(error: unknown, diagnostics: Diagnostics): void {
  if (!(error instanceof ConstructorFailure)) throw error
  diagnostics.add('constructor-failed', error.message, error.thrown)
}
