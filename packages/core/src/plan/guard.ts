import type { AccessRule, Guarded } from '../authorization/access-rule.js'
import { type AuthorizationPolicy, isPolicyClass, type Policy, type PolicyFunction } from '../authorization/policy.js'
import type { InjectionToken } from '../container/tsyringe.js'
import { describeThrown } from '../errors/problems.js'
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
  const token = policy as InjectionToken
  const isSingleton = graph.lifetimeOf(token, policy.name) === 'singleton'
  try {
    // One instance for all features that it guards.
    const instance = isSingleton ? container.resolveSingleton(token) : container.controller(token)
    return (request) => (instance as AuthorizationPolicy).allows(request)
  } catch (error) {
    throw new Error(`that of its policy ${policy.name}, with: ${describeThrown(error)}`, { cause: error })
  }
}
