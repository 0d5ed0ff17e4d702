import { AuthenticationError, type JsonObject } from '@toolwright/core'

/** A token that is not good. The client learns that it has to get another one, the log why. */
export function invalidToken(reason: string): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Unauthorized: the access token is not valid', { reason })
}

/** A token whose time is over, which the client is told: another one will do. */
export function expiredToken(): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Unauthorized: the access token has expired', { reason: 'expired' })
}

/**
 * The thumbprint of the key that a token is bound to, or `null`.
 *
 * @throws AuthenticationError for a binding that cannot be checked, such as that to a certificate.
 */
export function readBinding({ cnf }: JsonObject): string | null {
  if (cnf === undefined) return null
  const jkt = typeof cnf === 'object' && cnf !== null ? (cnf as JsonObject)['jkt'] : undefined
  if (typeof jkt === 'string' && Object.keys(cnf as object).length === 1) return jkt
  throw invalidToken('bound to something that cannot be checked')
}
