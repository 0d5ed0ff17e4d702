import { acceptOtherCopies } from '../copies/copies.js'
import { ProtocolError } from './protocol-error.js'

/** The caller is authenticated, but forbidden: HTTP status 403 in all protocol revisions. */
export class ForbiddenError extends ProtocolError {
  override readonly name: string = 'ForbiddenError'

  /**
   * @param message Sent to the client.
   * @param missingScopes The scopes that the caller lacks; empty when additional scopes would not help.
   * @param neededScopes All scopes that the call needs, including scopes that the caller has. Clients request a token with
   * exactly these scopes. Default: `missingScopes`.
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
