import type { Principal } from './principal.js'

/**
 * Whom something is shown to: authenticated callers who have one of each of these. Plain data, because it travels with
 * changes from one process to another.
 */
export interface Audience {
  /** Role names as {@link foldRole} leaves them. */
  readonly roles: readonly (readonly string[])[]
  readonly scopes: readonly (readonly string[])[]
}

/** Whether a caller is part of an audience. Nobody who is not authenticated is. */
export function belongsTo(audience: Audience, principal: Principal | null): boolean {
  if (principal === null) return false
  return hasRoles(principal, audience.roles) && audience.scopes.every((group) => hasScope(principal, group))
}

/** Whether a caller has a role of each group. */
export function hasRoles({ roles }: Principal, groups: readonly (readonly string[])[]): boolean {
  return groups.every((group) => roles.some((role) => group.includes(role) || group.includes(foldRole(role))))
}

/** Whether a caller was granted one of these scopes. */
export function hasScope({ scopes }: Principal, group: readonly string[]): boolean {
  return group.some((scope) => scopes.includes(scope))
}

/** Roles are compared without regard to the case of A to Z, and of nothing else: no other letter becomes one of them. */
export function foldRole(role: string): string {
  return role.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
