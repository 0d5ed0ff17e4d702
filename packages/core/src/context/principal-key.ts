import type { Principal } from './principal.js'

/**
 * Who a principal is, as one text: the issuer that vouches for it, the subject, and the client that acts for it. State is
 * bound to this and not to a token, which clients replace while they work. `null` for nobody.
 */
export function principalKey(principal: Principal | null): string | null {
  if (principal === null) return null
  const { subject, claims } = principal
  const client = textOf(claims['client_id']) ?? textOf(claims['azp'])
  // As JSON: no part can pose as two.
  return JSON.stringify([textOf(claims['iss']), subject, client])
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' ? claim : null
}
