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

// Loops where `every` and `some` would do: each call asks, and each of those functions would be made anew for it.

/** Whether a caller has a role of each group. */
export function hasRoles({ roles }: Principal, groups: readonly (readonly string[])[]): boolean {
  for (const group of groups) if (!hasRole(roles, group)) return false
  return true
}

function hasRole(roles: readonly string[], group: readonly string[]): boolean {
  for (const role of roles) if (group.includes(role) || group.includes(foldRole(role))) return true
  return false
}

/** Whether a caller was granted one of these scopes. */
export function hasScope({ scopes }: Pick<Principal, 'scopes'>, group: readonly string[]): boolean {
  for (const scope of group) if (scopes.includes(scope)) return true
  return false
}

/** Roles are compared without regard to the case of A to Z, and of nothing else: no other letter becomes one of them. */
export function foldRole(role: string): string {
  return role.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
