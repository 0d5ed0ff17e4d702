import { type AuthenticationRequest, ForbiddenError, type Principal } from '@toolwright/core'

/** @throws ForbiddenError that lists the missing scopes. */
export function requireScopes(
  principal: Principal,
  required: readonly string[],
  { includesScope = includes }: AuthenticationRequest,
): Principal {
  if (required.length === 0) return principal
  const missing = required.filter((scope) => !includesScope(principal.scopes, scope))
  if (missing.length === 0) return principal
  throw new ForbiddenError('Forbidden: the credentials lack a scope that every request requires', missing, required)
}

function includes(granted: readonly string[], scope: string): boolean {
  return granted.includes(scope)
}
