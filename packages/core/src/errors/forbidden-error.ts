import { ProtocolError } from './protocol-error.js'

/** The caller is known, and may not do this: HTTP status 403 in either era. */
export class ForbiddenError extends ProtocolError {
  override readonly name: string = 'ForbiddenError'

  /**
   * @param message Goes to the client.
   * @param missingScopes What the caller would have to be granted besides; empty when no scope would help.
   * @param neededScopes All that it takes, what the caller has included: a client asks for what its challenge names, and its
   * next token has nothing else. Default: those that are missing.
   */
  constructor(
    message: string,
    readonly missingScopes: readonly string[] = [],
    readonly neededScopes: readonly string[] = missingScopes,
  ) {
    super('forbidden', message)
  }
}
