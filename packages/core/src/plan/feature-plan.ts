import { type CallPlan, runHandler, type Step } from '../call/call.js'
import { withAround, withHooks } from '../call/run-hooks.js'
import { holdingPermit } from '../call/steps.js'
import type { Runnable } from '../catalog/definitions.js'
import type { FeatureKind } from '../hooks/feature-call.js'
import type { CallLimiter } from '../limits/call-limiter.js'
import { type Bindings, bindHandler } from './bind-handler.js'
import { compileGuard } from './guard.js'

/** What the plans of all kinds have before their steps are chained. */
type FeaturePlan = Pick<CallPlan, 'name' | 'label' | 'guard' | 'hooks' | 'timeoutMs' | 'handle' | 'handleAround'> & {
  /** The last step: the hooks and the handler. */
  readonly handlerStep: Step
}

const titles: Readonly<Record<FeatureKind, string>> = {
  tool: 'Tool',
  prompt: 'Prompt',
  resource: 'Resource',
  completion: 'Completion of',
}

/**
 * @param name As the catalog has it.
 * @param limiter Of a tool; `null` without one.
 * @throws ConstructorFailure
 */
export function compileFeature(
  kind: FeatureKind,
  name: string,
  feature: Runnable,
  bindings: Bindings,
  timeoutMs: number,
  maxResultBytes = bindings.maxResultBytes,
  limiter: CallLimiter | null = null,
): FeaturePlan {
  const guard = compileGuard({ kind, name }, feature, bindings)
  const label = `${titles[kind]} '${name}'`
  const { oversizedResults, log } = bindings
  const bound = bindHandler(feature, bindings, { what: label, maxResultBytes, oversizedResults, log })
  const handle = limiter === null ? bound : holdingPermit(bound)
  const hooks = bindings.hooks.bind(kind, name, feature)
  return {
    name,
    label,
    guard,
    hooks,
    timeoutMs,
    handle,
    handleAround: hooks === null ? handle : withAround(hooks, handle),
    handlerStep: hooks === null ? runHandler : withHooks(hooks),
  }
}
