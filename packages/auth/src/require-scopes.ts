import { ForbiddenError, type Principal } from '@toolwright/core'

/** @throws ForbiddenError that names what the caller lacks. */
export function requireScopes(principal: Principal, required: readonly string[]): Principal {
  if (required.length === 0) return principal
  const missing = required.filter((scope) => !principal.scopes.includes(scope))
  if (missing.length === 0) return principal
  throw new ForbiddenError('Forbidden: a scope is missing that every request needs', missing, required)
}
