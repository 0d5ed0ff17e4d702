import { isAdmitted, whyRejected } from '../../authorization/access-rule.js'
import type { Principal } from '../../context/principal.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import type { ProtocolError } from '../../errors/protocol-error.js'
import { AuthorizationResolver, guardedByDefault } from './authorization-resolver.js'

export interface RouteAccess {
  readonly roles?: readonly string[] | undefined
  readonly scopes?: readonly string[] | undefined
}

/**
 * Compiles the rule of an HTTP route beside the MCP endpoint. Malformed roles and scopes are added to `diagnostics`.
 *
 * @param route Name of the route, for messages.
 * @param impliedScopes For each scope, the other scopes that it grants.
 * @returns A function that returns the error for a caller who is not allowed to use the route; `null` for other callers.
 */
export function compileRouteRule(
  route: string,
  { roles, scopes }: RouteAccess,
  impliedScopes: Readonly<Record<string, readonly string[]>>,
  diagnostics: Diagnostics,
): (principal: Principal | null) => ProtocolError | null {
  const authorize = { ...(roles === undefined ? {} : { roles }), ...(scopes === undefined ? {} : { scopes }) }
  const resolver = new AuthorizationResolver({ ...guardedByDefault, impliedScopes })
  const rule = resolver.ofAdded('tool', { authorize }, route, diagnostics)
  if (rule === null) throw new Error(`${route} has no rule.`)
  return (principal) => (isAdmitted({ rule }, principal) ? null : whyRejected(rule, principal))
}
