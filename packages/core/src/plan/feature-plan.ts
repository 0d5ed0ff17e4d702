import type { Guarded } from '../authorization/access-rule.js'
import { type AuthorizationPolicy, isPolicyClass, type Policy, type PolicyFunction } from '../authorization/policy.js'
import { type CallPlan, type Guard, type GuardedFeature, runHandler, type Step } from '../call/call.js'
import { withAround, withHooks } from '../call/run-hooks.js'
import { holdingPermit } from '../call/steps.js'
import type { Runnable } from '../catalog/definitions.js'
import type { InjectionToken } from '../container/tsyringe.js'
import type { FeatureKind } from '../hooks/feature-call.js'
import type { CallLimiter } from '../limits/call-limiter.js'
import { type Bindings, bindHandler } from './bind-handler.js'
import { makeAtBoot } from './make-at-boot.js'

export type FeaturePlan = Omit<CallPlan, 'input' | 'encode' | 'encodeError' | 'run'> & {
  readonly handlerStep: Step
}

const titles: Readonly<Record<FeatureKind, string>> = {
  tool: 'Tool',
  prompt: 'Prompt',
  resource: 'Resource',
  completion: 'Completion of',
}

/**
 * Compiles the shared part of a plan. Spread the result after the other members: if members follow a spread, V8 of Node 20
 * creates a hidden class of 600 bytes for each plan.
 *
 * @param name Name in the catalog.
 * @param limiter Limiter of a tool; `null` without limits.
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
  const { transports: names } = feature
  const { oversizedResults, log } = bindings
  const bound = bindHandler(feature, bindings, { what: label, maxResultBytes, oversizedResults, log })
  const handle = limiter === null ? bound : holdingPermit(bound)
  const hooks = bindings.hooks.bind(kind, name, feature)
  return {
    name,
    label,
    guard,
    isConditional: feature.enabledFor.length > 0,
    transports: names === null ? null : { names, isHidden: bindings.hidesForbidden },
    hooks,
    timeoutMs,
    handle,
    handleAround: hooks === null ? handle : withAround(hooks, handle),
    handlerStep: hooks === null ? runHandler : withHooks(hooks),
  }
}

function compileGuard(feature: GuardedFeature, { rule }: Guarded, bindings: Bindings): Guard | null {
  if (rule === null) return null
  const policies = rule.policies.map((policy) => bindPolicy(policy, bindings))
  return Object.freeze({ feature, rule, policies: policies.length > 0 ? policies : null })
}

function bindPolicy(policy: Policy, bindings: Bindings): PolicyFunction {
  if (!isPolicyClass(policy)) return policy
  // One instance is shared by all features that use the policy.
  const instance = makeAtBoot(policy as InjectionToken, bindings) as AuthorizationPolicy
  return (request) => instance.allows(request)
}
