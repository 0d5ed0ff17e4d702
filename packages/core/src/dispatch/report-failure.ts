import { randomUUID } from 'node:crypto'
import type { McpContext } from '../context/mcp-context.js'
import { shorten } from '../errors/protocol-error.js'

interface FailedCall {
  readonly context: McpContext
  readonly exposeErrors: boolean
}

/** Logs an unexpected error and returns what the client may know of it: an id that leads to the log entry. */
export function reportFailure(error: Error, what: string, { context, exposeErrors }: FailedCall): string {
  const errorId = randomUUID()
  try {
    context.log.error({ err: error, errorId }, `${what} failed`)
  } catch {
    // The log reads every member of an error, and a getter can throw.
    context.log.error({ errorId }, `${what} failed with an error that cannot be logged`)
  }
  const detail = exposeErrors ? `: ${shorten(error.message, 1000)}` : '.'
  return `${what} failed${detail} The cause is in the server's log (request ${context.requestId}, error ${errorId}).`
}
