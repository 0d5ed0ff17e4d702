import { type Audience, belongsTo, hasRoles, hasScope } from '../context/audience.js'
import type { Principal } from '../context/principal.js'
import { AuthenticationError } from '../errors/authentication-error.js'
import { ForbiddenError } from '../errors/forbidden-error.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import type { Policy } from './policy.js'

interface NeededScope {
  readonly name: string
  readonly grantedBy: readonly string[]
}

export interface AccessRule {
  /** Groups of roles, normalized by {@link foldRole}. The caller needs one role of each group. */
  readonly roles: readonly (readonly string[])[]
  readonly scopes: readonly NeededScope[]
  readonly policies: readonly Policy[]
  readonly policyTimeoutMs: number
  /** The callers whose lists include the feature, and who are notified of its changes. */
  readonly audience: Audience
  readonly isHidden: boolean
}

export interface Guarded {
  /** `null`: open to all callers. */
  readonly rule: AccessRule | null
}

export function isVisible({ rule }: Guarded, principal: Principal | null): boolean {
  return rule === null || belongsTo(rule.audience, principal)
}

export function isAdmitted({ rule }: Guarded, principal: Principal | null): boolean {
  if (rule === null) return true
  if (principal === null || !hasRoles(principal, rule.roles)) return false
  for (const { grantedBy } of rule.scopes) if (!hasScope(principal, grantedBy)) return false
  return true
}

/**
 * Returns the error for a caller who is not allowed to use a feature.
 *
 * @param rule The rule of the feature; `undefined` when the feature does not exist.
 * @returns `null` when the feature does not exist or must look missing. Both cases take the same time, so that callers
 * cannot tell them apart.
 */
export function rejectionBy(rule: AccessRule | null | undefined, principal: Principal | null): ProtocolError | null {
  return rule === undefined || rule === null || rule.isHidden ? null : whyRejected(rule, principal)
}

/** Rejects a caller who is not allowed to use a feature. @throws ProtocolError: `hidden` if the feature must look missing */
export function requireAccess({ rule }: Guarded, principal: Principal | null, hidden: ProtocolError): void {
  if (!isAdmitted({ rule }, principal)) throw rejectionBy(rule, principal) ?? hidden
}

/**
 * Returns the error for a caller whom a rule rejects. If the caller has all roles and scopes, a policy has rejected the call.
 */
export function whyRejected({ roles, scopes }: AccessRule, principal: Principal | null): ProtocolError {
  if (principal === null) {
    return new AuthenticationError(null, 'Unauthorized: authenticate first', { scopes: scopes.map(({ name }) => name) })
  }
  const missing = scopes.filter(({ grantedBy }) => !hasScope(principal, grantedBy)).map(({ name }) => name)
  // The message gives no reason: a reason would disclose the requirements.
  if (!hasRoles(principal, roles) || missing.length === 0)
    return new ForbiddenError('Forbidden: you are not allowed to use this')
  const needed = scopes.map(({ name }) => name)
  return new ForbiddenError(`Forbidden: requires the scope ${missing.join(' and ')}`, missing, needed)
}
