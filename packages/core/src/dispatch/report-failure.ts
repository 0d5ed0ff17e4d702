import { randomUUID } from 'node:crypto'
import type { McpContext } from '../context/mcp-context.js'
import { shorten } from '../errors/protocol-error.js'

interface FailedCall {
  readonly context: McpContext
  readonly exposeErrors: boolean
}

/** Logs an unexpected error and returns what the client may know of it: an id that leads to the log entry. */
export function reportFailure(error: unknown, what: string, { context, exposeErrors }: FailedCall): string {
  const errorId = randomUUID()
  context.log.error({ err: toError(error), errorId }, `${what} failed`)
  const detail = exposeErrors ? `: ${shorten(toError(error).message, 1000)}` : '.'
  return `${what} failed${detail} The cause is in the server's log (request ${context.requestId}, error ${errorId}).`
}

/** Handlers can throw anything, also things whose description throws. */
function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  try {
    return new Error(`a value that is no Error was thrown: ${String(thrown)}`)
  } catch {
    return new Error('a value that cannot be described was thrown')
  }
}
