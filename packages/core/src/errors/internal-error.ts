import { ProtocolError } from './protocol-error.js'

/** What a client may know of a failure that nobody expected: an id that leads to the log entry. */
export function internalError(errorId: string): ProtocolError {
  return new ProtocolError('internalError', `Internal error. The cause is in the server's log (error ${errorId}).`)
}
