import { acceptOtherCopies } from '../copies/copies.js'
import { ProtocolError } from './protocol-error.js'

/** What a challenge begins with (RFC 9110, section 11.6.1): `Bearer`, or `DPoP algs="ES256"`. */
export interface AuthenticationScheme {
  readonly name: string
  readonly parameters?: Readonly<Record<string, string>>
}

/** Why credentials are refused, in the words of RFC 6750 and RFC 9449. */
export type AuthenticationFailure = 'invalid_request' | 'invalid_token' | 'invalid_dpop_proof'

/** More about a refusal. */
export interface AuthenticationErrorInit {
  /** What the challenge asks for. Default: what the authenticator asks for. */
  readonly scheme?: AuthenticationScheme
  /** For the log, to tell refusals apart. Nothing of the credentials may be in it. */
  readonly reason?: string
  /** What the caller has to be granted besides being known. Default: what the authenticator says that all need. */
  readonly scopes?: readonly string[]
}

/** Nobody knows who the caller is, or its credentials are not good: HTTP status 401 in either era, and a challenge. */
export class AuthenticationError extends ProtocolError {
  override readonly name: string = 'AuthenticationError'
  /** What the challenge asks for; `undefined`: what the authenticator asks for. */
  readonly scheme: AuthenticationScheme | undefined
  /** For the log only. */
  readonly reason: string | undefined
  /** What the challenge names; empty: what the authenticator says that all need. */
  readonly scopes: readonly string[]

  /**
   * Thrown where bad credentials are found: the answer is 401 and a challenge.
   *
   * @param failure `null` when there are no credentials at all.
   * @param message Goes to the client: nothing of the credentials may be in it.
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
