import { randomUUID } from 'node:crypto'
import { ProtocolError } from './protocol-error.js'

const ids = new WeakMap<object, string>()

/** Joins the answer to a request that failed unexpectedly with what the log, spans and hooks say of it. */
export function errorIdOf(request: object): string {
  const known = ids.get(request)
  if (known !== undefined) return known
  const id = randomUUID()
  ids.set(request, id)
  return id
}

/** What a client may know of a failure that nobody expected: an id that leads to the log entry. */
export function internalError(errorId: string): ProtocolError {
  return new ProtocolError('internalError', `Internal error. The cause is in the server's log (error ${errorId}).`)
}
