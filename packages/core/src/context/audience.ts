import type { Principal } from './principal.js'

/**
 * Authenticated callers who have a role of each group of roles, and a scope of each group of scopes. Audiences are plain data,
 * because changes with an audience are sent between processes.
 */
export interface Audience {
  readonly roles: readonly (readonly string[])[]
  readonly scopes: readonly (readonly string[])[]
}

export function belongsTo(audience: Audience, principal: Principal | null): boolean {
  if (principal === null) return false
  return hasRoles(principal, audience.roles) && audience.scopes.every((group) => hasScope(principal, group))
}

// The functions below use loops, because they run in each call, and `every` and `some` would allocate closures.

export function hasRoles({ roles }: Principal, groups: readonly (readonly string[])[]): boolean {
  for (const group of groups) if (!hasRole(roles, group)) return false
  return true
}

function hasRole(roles: readonly string[], group: readonly string[]): boolean {
  for (const role of roles) if (group.includes(role) || group.includes(foldRole(role))) return true
  return false
}

export function hasScope({ scopes }: Pick<Principal, 'scopes'>, group: readonly string[]): boolean {
  for (const scope of group) if (scopes.includes(scope)) return true
  return false
}

/** Converts only A to Z to lower case. Full case folding would map other letters to ASCII, such as the Kelvin sign to `k`. */
export function foldRole(role: string): string {
  return role.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
