import { ProtocolError } from './protocol-error.js'

/** Nobody knows who the caller is, and this is not for everybody: HTTP status 401 in either era. */
export class UnauthorizedError extends ProtocolError {
  override readonly name: string = 'UnauthorizedError'

  /** @param scopes What the caller has to be granted besides being known. */
  constructor(readonly scopes: readonly string[] = []) {
    super('unauthorized', 'Unauthorized: authenticate first')
  }
}
