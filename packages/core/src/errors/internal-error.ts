import { randomUUID } from 'node:crypto'
import { ProtocolError } from './protocol-error.js'

const ids = new WeakMap<object, string>()

/**
 * Returns the id of a request that failed unexpectedly. The same id is in the client's error, the log, the spans and the hooks.
 */
export function errorIdOf(request: object): string {
  const known = ids.get(request)
  if (known !== undefined) return known
  const id = randomUUID()
  ids.set(request, id)
  return id
}

/** Creates the error of an unexpected failure. The error contains only an id, by which the log entry can be found. */
export function internalError(errorId: string): ProtocolError {
  return new ProtocolError('internalError', `Internal error. The cause is in the server's log (error ${errorId}).`)
}
