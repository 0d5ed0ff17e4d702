import { InputRequired } from '../client-requests/input-required.js'
import { clientRequesterOf, type McpContext, openClientRequester } from '../context/mcp-context.js'
import { toError } from '../errors/to-error.js'
import type { Call } from './call.js'

/**
 * Ends the client requests of a call whose handler returned.
 *
 * @throws InputRequired if a request is unanswered: the handler did not await it, or caught the internal error that ends the run.
 */
export async function endClientRequests(call: Call): Promise<void> {
  const unanswered = await end(undefined, call)
  if (unanswered !== undefined) throw unanswered
}

export async function endFailedClientRequests(error: Error, call: Call): Promise<Error> {
  try {
    return toError(await end(error, call))
  } catch (failure) {
    return toError(failure)
  }
}

export function hasAsked(error: Error, context: McpContext): boolean {
  return error instanceof InputRequired || clientRequesterOf(context) !== null
}

async function end(error: unknown, { context, cancellation, plan }: Call): Promise<unknown> {
  const ending = openClientRequester(context).end(error)
  // A cancelled call does not wait for requests that its handler left running.
  return cancellation.reason === null ? cancellation.race(ending, plan.timeoutMs) : error
}
