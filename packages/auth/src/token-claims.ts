import { AuthenticationError, type JsonObject } from '@toolwright/core'

/** Creates the error of an invalid token. The reason is only logged. */
export function invalidToken(reason: string): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Unauthorized: the access token is not valid', { reason })
}

/** Creates the error of an expired token. The client gets the reason, because it can request a new token. */
export function expiredToken(): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Unauthorized: the access token has expired', { reason: 'expired' })
}

const maxShownLength = 200

/** Describes a claim in the log. Must not be used for secrets. */
export function shownClaim(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text
}

/** Claims in which issuers name the kind of a token: Cognito and Hydra, older Hydra, Keycloak. */
const kindClaims = ['token_use', 'token_type', 'typ']

const otherKind = /^(?:refresh|offline|id|logout)(?:[_ ]?token)?$/i
const accessKind = /^(?:access(?:[_ ]?token)?|bearer|dpop)$/i

/** Claims of ID tokens only (OpenID Connect Core, section 3.1.3.6). */
const idTokenClaims = ['nonce', 'at_hash', 'c_hash']

/**
 * Rejects refresh tokens and ID tokens. ID tokens are for the client, which may pass them to other parties.
 *
 * @param isAccessToken Whether the header says that the token is an access token: older versions of Keycloak add `nonce`.
 * @throws AuthenticationError
 */
export function checkKind(claims: JsonObject, isAccessToken = false): void {
  const kinds = kindClaims.flatMap((name) => (typeof claims[name] === 'string' ? [[name, claims[name]] as const] : []))
  const other = kinds.find(([, kind]) => otherKind.test(kind))
  if (other !== undefined) throw invalidToken(`not an access token: ${other[0]} is ${shownClaim(other[1])}`)
  if (isAccessToken || kinds.some(([, kind]) => accessKind.test(kind))) return
  const name = idTokenClaims.find((one) => one in claims)
  if (name !== undefined) throw invalidToken(`not an access token: it has ${name}, like an ID token`)
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
