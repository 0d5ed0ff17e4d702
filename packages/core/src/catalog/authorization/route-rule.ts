import { isAdmitted, whyRefused } from '../../authorization/access-rule.js'
import type { Principal } from '../../context/principal.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import type { ProtocolError } from '../../errors/protocol-error.js'
import { AuthorizationResolver, guardedByDefault } from './authorization-resolver.js'

/** Roles and scopes of a route, as `@Authorize` has them. */
export interface RouteAccess {
  readonly roles?: readonly string[] | undefined
  readonly scopes?: readonly string[] | undefined
}

/**
 * Compiles the rule of a route that is served beside the protocol. Malformed roles and scopes go to `diagnostics`.
 *
 * @param route Names the route in messages.
 * @param impliedScopes The scopes that each scope grants besides itself.
 * @returns The error for a caller who may not use the route; `null` for one who may.
 */
export function compileRouteRule(
  route: string,
  { roles, scopes }: RouteAccess,
  impliedScopes: Readonly<Record<string, readonly string[]>>,
  diagnostics: Diagnostics,
): (principal: Principal | null) => ProtocolError | null {
  const authorize = { ...(roles === undefined ? {} : { roles }), ...(scopes === undefined ? {} : { scopes }) }
  const resolver = new AuthorizationResolver({ ...guardedByDefault, impliedScopes })
  const rule = resolver.ofAdded({ authorize }, route, diagnostics)
  return (principal) => (rule === null || isAdmitted({ rule }, principal) ? null : whyRefused(rule, principal))
}
