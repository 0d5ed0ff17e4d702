import { isPolicyClass } from '../../authorization/policy.js'
import type { AppContainer } from '../../container/app-container.js'
import type { InjectionToken } from '../../container/tsyringe.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import { emittedMethodTypes, hasMisplacedInject } from '../../metadata/compiled-types.js'
import type { Class } from '../../metadata/types.js'
import type { Runnable } from '../definitions.js'
import { DependencyGraph } from './dependency-graph.js'

const argumentTypes: readonly unknown[] = [String, Number, Boolean, Array, Date]

export function checkDependencies(
  features: readonly Runnable[],
  container: AppContainer,
  diagnostics: Diagnostics,
): DependencyGraph {
  const methods = features.flatMap(({ source, origin }) => (source.kind === 'method' ? [{ ...source, origin }] : []))
  const metadataIsOn = methods.some(
    ({ controller, method }) => emittedMethodTypes(controller, method).parameters !== undefined,
  )
  const graph = new DependencyGraph({ container, diagnostics, metadataIsOn })
  for (const { controller, parameters, origin } of methods) {
    if (hasMisplacedInject(controller)) reportMisplacedInject(controller, diagnostics)
    graph.lifetimeOf(controller as InjectionToken, controller.name)
    for (const [index, parameter] of parameters.entries()) {
      if (parameter.from !== 'container' || (parameter.isOptional && graph.isLeftOut(parameter.token))) continue
      graph.lifetimeOf(parameter.token, describeParameter(origin, index, parameter.token))
    }
  }
  for (const feature of features) checkPolicyClasses(feature, graph, diagnostics)
  return graph
}

function reportMisplacedInject({ name }: Class, diagnostics: Diagnostics): void {
  const message =
    `${name}: the @inject or @injectAll of tsyringe is on a parameter of a method, where it has no effect. ` +
    "Import `inject` from 'toolwright'."
  diagnostics.add('bad-decorator-target', message)
}

function checkPolicyClasses({ rule, origin }: Runnable, graph: DependencyGraph, diagnostics: Diagnostics): void {
  for (const policy of (rule?.policies ?? []).filter(isPolicyClass)) {
    if (graph.lifetimeOf(policy as InjectionToken, `The policy of ${origin}`) !== 'call') continue
    diagnostics.add(
      'bad-authorization',
      `${policy.name}: a policy is created once, at boot, but this one depends on an instance that is created for each ` +
        "call. Take the principal, the arguments and the context from the parameter of 'allows'.",
    )
  }
}

function describeParameter(origin: string, index: number, token: InjectionToken): string {
  const where = `${origin}, parameter ${index + 1}`
  const isValue = argumentTypes.includes(token)
  if (index > 0)
    return isValue ? `${where} (injected: only the first parameter receives arguments, as one object)` : where
  // Without a schema, the first parameter is injected, although the developer could expect arguments. The type of such a
  // parameter is often `Object` at run time.
  const advice = isValue || token === Object ? ': add a schema if this parameter receives the arguments' : ''
  return `${where} (injected, because there is no \`input\` schema${advice})`
}
