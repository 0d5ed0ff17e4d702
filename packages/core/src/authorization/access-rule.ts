import { type Audience, belongsTo, hasRoles, hasScope } from '../context/audience.js'
import type { Principal } from '../context/principal.js'
import { AuthenticationError } from '../errors/authentication-error.js'
import { ForbiddenError } from '../errors/forbidden-error.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import type { Policy } from './policy.js'

/** A scope that a feature needs. */
export interface NeededScope {
  readonly name: string
  /** Itself, and the scopes that imply it. */
  readonly grantedBy: readonly string[]
}

/** What a caller must have to use a feature: all of it. Where there is no rule, everybody may. */
export interface AccessRule {
  /** One role of each group, as {@link foldRole} leaves them. */
  readonly roles: readonly (readonly string[])[]
  /** Each of them. */
  readonly scopes: readonly NeededScope[]
  /** Each of them has to allow a call. */
  readonly policies: readonly Policy[]
  /** Milliseconds for one policy. */
  readonly policyTimeoutMs: number
  /** Who finds the feature in lists, and hears of it. */
  readonly audience: Audience
  /** Refused callers are answered as if there were no such feature. */
  readonly isHidden: boolean
}

/** What definitions of all kinds have. */
export interface Guarded {
  /** `null`: anybody may use it. */
  readonly rule: AccessRule | null
}

/** Whether a caller finds the feature in lists. */
export function isVisible({ rule }: Guarded, principal: Principal | null): boolean {
  return rule === null || belongsTo(rule.audience, principal)
}

/** Whether a caller has the roles and scopes for a feature. Its policies decide on each call. */
export function isAdmitted({ rule }: Guarded, principal: Principal | null): boolean {
  if (rule === null) return true
  if (principal === null || !hasRoles(principal, rule.roles)) return false
  for (const { grantedBy } of rule.scopes) if (!hasScope(principal, grantedBy)) return false
  return true
}

/**
 * What a caller is told who may not use a feature.
 *
 * @param rule Of the feature; `undefined` where there is none.
 * @returns `null` where there is no such feature, or none that the caller may know of: both take the same time.
 */
export function refusalBy(rule: AccessRule | null | undefined, principal: Principal | null): ProtocolError | null {
  return rule === undefined || rule === null || rule.isHidden ? null : whyRefused(rule, principal)
}

/** Why a caller may not use a feature. One who lacks no role and no scope was refused by a policy. */
export function whyRefused({ roles, scopes }: AccessRule, principal: Principal | null): ProtocolError {
  if (principal === null) {
    return new AuthenticationError(null, 'Unauthorized: authenticate first', { scopes: scopes.map(({ name }) => name) })
  }
  const missing = scopes.filter(({ grantedBy }) => !hasScope(principal, grantedBy)).map(({ name }) => name)
  // Nothing about why: that would tell what it takes.
  if (!hasRoles(principal, roles) || missing.length === 0) return new ForbiddenError('Forbidden: you may not use this')
  const needed = scopes.map(({ name }) => name)
  return new ForbiddenError(`Forbidden: this needs the scope ${missing.join(' and ')}`, missing, needed)
}
