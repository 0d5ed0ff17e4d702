import type { AccessRule, Guarded } from '../authorization/access-rule.js'
import { type AuthorizationRequest, isPolicyClass, type Policy, type PolicyFunction } from '../authorization/policy.js'
import type { InjectionToken } from '../container/tsyringe.js'
import type { Bindings } from './bind-handler.js'

/** Who may use one feature, decided at boot as far as it can be. */
export interface Guard {
  readonly rule: AccessRule
  /** What decides on each call; `null` where nothing does. */
  readonly policies: readonly PolicyFunction[] | null
}

/** `null` for what everybody may use. @throws what the constructor of a policy throws */
export function compileGuard({ rule }: Guarded, bindings: Bindings): Guard | null {
  if (rule === null) return null
  const policies = rule.policies.map((policy) => bindPolicy(policy, bindings))
  return Object.freeze({ rule, policies: policies.length > 0 ? policies : null })
}

function bindPolicy(policy: Policy, { container, graph }: Bindings): PolicyFunction {
  if (!isPolicyClass(policy)) return policy
  const token = policy as InjectionToken<InstanceType<typeof policy>>
  const isSingleton = graph.lifetimeOf(token, policy.name) === 'singleton'
  // One instance for all features that it guards.
  const instance = (isSingleton ? container.resolveSingleton(token) : container.controller(token)) as InstanceType<
    typeof policy
  >
  return (request: AuthorizationRequest) => instance.allows(request)
}
