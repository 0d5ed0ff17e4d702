import { acceptOtherCopies } from '../copies/copies.js'
import { ProtocolError } from './protocol-error.js'

/** The caller is known, and may not do this: HTTP status 403 in either era. */
export class ForbiddenError extends ProtocolError {
  override readonly name: string = 'ForbiddenError'

  /**
   * @param message Goes to the client.
   * @param missingScopes The scopes that the caller lacks; empty when no scope would help.
   * @param neededScopes All scopes that the call takes, with those that the caller has: a client asks for a token with just
   * the scopes that it is told here. Default: those that are missing.
   */
  constructor(
    message: string,
    readonly missingScopes: readonly string[] = [],
    readonly neededScopes: readonly string[] = missingScopes,
  ) {
    super('forbidden', message)
  }
}
acceptOtherCopies(ForbiddenError, 'ForbiddenError')
