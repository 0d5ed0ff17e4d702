import type { Guarded } from '../authorization/access-rule.js'
import { type AuthorizationPolicy, isPolicyClass, type Policy, type PolicyFunction } from '../authorization/policy.js'
import { type Guard, type GuardedFeature } from '../call/call.js'
import type { InjectionToken } from '../container/tsyringe.js'
import type { Bindings } from './bind-handler.js'
import { makeAtBoot } from './make-at-boot.js'

/** Compiles the rule of a feature; `null` if every caller may use it. @throws ConstructorFailure */
export function compileGuard(feature: GuardedFeature, { rule }: Guarded, bindings: Bindings): Guard | null {
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
