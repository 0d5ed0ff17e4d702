import { type AuthenticationRequest, ForbiddenError, type Principal } from '@toolwright/core'

/** @throws ForbiddenError that names what the caller lacks. */
export function requireScopes(
  principal: Principal,
  required: readonly string[],
  { includesScope = includes }: AuthenticationRequest,
): Principal {
  if (required.length === 0) return principal
  const missing = required.filter((scope) => !includesScope(principal.scopes, scope))
  if (missing.length === 0) return principal
  throw new ForbiddenError('Forbidden: a scope is missing that every request needs', missing, required)
}

function includes(granted: readonly string[], scope: string): boolean {
  return granted.includes(scope)
}
