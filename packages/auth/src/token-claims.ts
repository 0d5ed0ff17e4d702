import { AuthenticationError, type JsonObject } from '@toolwright/core'

/** Creates the error of an invalid token. The reason is only logged. */
export function invalidToken(reason: string): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Unauthorized: the access token is not valid', { reason })
}

/** Creates the error of an expired token. The client gets the reason, because it can request a new token. */
export function expiredToken(): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Unauthorized: the access token has expired', { reason: 'expired' })
}

/**
 * Returns the thumbprint of the key that a token is bound to, or `null`.
 *
 * @throws AuthenticationError for a binding that cannot be checked, such as a binding to a certificate.
 */
export function readBinding({ cnf }: JsonObject): string | null {
  if (cnf === undefined) return null
  const jkt = typeof cnf === 'object' && cnf !== null ? (cnf as JsonObject)['jkt'] : undefined
  if (typeof jkt === 'string' && Object.keys(cnf as object).length === 1) return jkt
  throw invalidToken('bound to a key or certificate that this server cannot check')
}
