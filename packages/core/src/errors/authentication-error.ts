import { acceptOtherCopies } from '../copies/copies.js'
import { ProtocolError } from './protocol-error.js'

/** The scheme of a challenge with its parameters (RFC 9110, section 11.6.1): `Bearer`, or `DPoP algs="ES256"`. */
export interface AuthenticationScheme {
  readonly name: string
  readonly parameters?: Readonly<Record<string, string>>
}

/** The reason why credentials are rejected: an error code of RFC 6750 or RFC 9449. */
export type AuthenticationFailure = 'invalid_request' | 'invalid_token' | 'invalid_dpop_proof'

export interface AuthenticationErrorInit {
  /** Scheme of the challenge. Default: the scheme of the authenticator. */
  readonly scheme?: AuthenticationScheme
  /** Reason for the log only. Must not contain any part of the credentials. */
  readonly reason?: string
  /** Scopes that the challenge asks for. Default: the scopes that the authenticator requires of all callers. */
  readonly scopes?: readonly string[]
}

/** Missing or invalid credentials: HTTP status 401 with a challenge, in all protocol revisions. */
export class AuthenticationError extends ProtocolError {
  override readonly name: string = 'AuthenticationError'
  readonly scheme: AuthenticationScheme | undefined
  readonly reason: string | undefined
  /** Scopes that the challenge asks for; empty: the scopes that the authenticator requires of all callers. */
  readonly scopes: readonly string[]

  /**
   * @param failure `null` when the request has no credentials.
   * @param message Sent to the client. Must not contain any part of the credentials.
   */
  constructor(
    readonly failure: AuthenticationFailure | null,
    message: string,
    { scheme, reason, scopes = [] }: AuthenticationErrorInit = {},
  ) {
    super('unauthorized', message)
    this.scheme = scheme
    this.reason = reason
    this.scopes = scopes
  }
}
acceptOtherCopies(AuthenticationError, 'AuthenticationError')
