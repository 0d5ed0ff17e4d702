import { InputRequired } from '../client-requests/input-required.js'
import { clientRequesterOf, type McpContext, openClientRequester } from '../context/mcp-context.js'
import { toError } from '../errors/to-error.js'
import type { Call } from './call.js'

/**
 * Ends a handler that returned, for calls that asked their client.
 *
 * @throws InputRequired when the handler did not wait for an answer, or handled the end of its run as an error of its own.
 */
export async function endClientRequests(call: Call): Promise<void> {
  const unanswered = await end(undefined, call)
  if (unanswered !== undefined) throw unanswered
}

/** Ends a handler that failed. @returns The error to end the call with. */
export async function endFailedClientRequests(error: Error, call: Call): Promise<Error> {
  try {
    return toError(await end(error, call))
  } catch (failure) {
    return toError(failure)
  }
}

/** Whether a handler that ended with this error asked its client. */
export function hasAsked(error: Error, context: McpContext): boolean {
  return error instanceof InputRequired || clientRequesterOf(context) !== null
}

async function end(error: unknown, { context, cancellation, plan }: Call): Promise<unknown> {
  const ending = openClientRequester(context).end(error)
  // A cancelled call does not wait for what its handler left running.
  return cancellation.reason === null ? cancellation.race(ending, plan.timeoutMs) : error
}
