import { shorten } from '@toolwright/schema'
import { errorIdOf } from '../errors/internal-error.js'
import { logFailure, tryLog } from '../errors/log-failure.js'
import type { Call } from './call.js'

export function reportFailure(error: Error, what: string, { context, exposeErrors }: Call): string {
  const errorId = errorIdOf(context)
  logFailure(context.log, error, { errorId }, `${what} failed`)
  const detail = exposeErrors ? `: ${shorten(error.message, 1000)}` : ''
  return `${what} failed${detail}${/[.!?]$/.test(detail) ? '' : '.'} The cause is in the server's log (request ${context.requestId}, error ${errorId}).`
}

export function reportTimeout(what: string, timeoutMs: number, { context }: Call): string {
  tryLog(() => context.log.warn({ timeoutMs }, `${what} timed out`))
  return `${what} did not finish within ${timeoutMs / 1000} seconds and was stopped.`
}
