import { errorIdOf } from '../errors/internal-error.js'
import { logFailure, tryLog } from '../errors/log-failure.js'
import { shorten } from '../errors/protocol-error.js'
import type { Call } from './call.js'

/** Logs an unexpected error and returns what the client may know of it: an id that leads to the log entry. */
export function reportFailure(error: Error, what: string, { context, exposeErrors }: Call): string {
  const errorId = errorIdOf(context)
  logFailure(context.log, error, { errorId }, `${what} failed`)
  const detail = exposeErrors ? `: ${shorten(error.message, 1000)}` : ''
  return `${what} failed${detail}${/[.!?]$/.test(detail) ? '' : '.'} The cause is in the server's log (request ${context.requestId}, error ${errorId}).`
}

/** Logs that a handler took too long, and returns what the client is told. */
export function reportTimeout(what: string, timeoutMs: number, { context }: Call): string {
  tryLog(() => context.log.warn({ timeoutMs }, `${what} timed out`))
  return `${what} did not finish within ${timeoutMs / 1000} seconds and was stopped.`
}
