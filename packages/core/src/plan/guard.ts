import type { Guarded } from '../authorization/access-rule.js'
import { type AuthorizationPolicy, isPolicyClass, type Policy, type PolicyFunction } from '../authorization/policy.js'
import { type Guard, type GuardedFeature } from '../call/call.js'
import type { InjectionToken } from '../container/tsyringe.js'
import type { Bindings } from './bind-handler.js'
import { makeAtBoot } from './make-at-boot.js'

/** `null` for what everybody may use. @throws ConstructorFailure */
export function compileGuard(feature: GuardedFeature, { rule }: Guarded, bindings: Bindings): Guard | null {
  if (rule === null) return null
  const policies = rule.policies.map((policy) => bindPolicy(policy, bindings))
  return Object.freeze({ feature, rule, policies: policies.length > 0 ? policies : null })
}

function bindPolicy(policy: Policy, bindings: Bindings): PolicyFunction {
  if (!isPolicyClass(policy)) return policy
  // One instance for all features that it guards.
  const instance = makeAtBoot(policy as InjectionToken, bindings) as AuthorizationPolicy
  return (request) => instance.allows(request)
}
