import { InputRequired } from '../client-requests/input-required.js'
import { clientRequesterOf, openClientRequester } from '../context/mcp-context.js'
import { toError } from '../errors/to-error.js'
import type { RunningCall } from './running-call.js'

/**
 * Ends a handler that returned, for calls that asked their client.
 *
 * @throws InputRequired when it did not wait for an answer, or took the end of its run for an error of its own.
 */
export async function endClientRequests(call: RunningCall, timeoutMs: number): Promise<void> {
  const unanswered = await end(undefined, call, timeoutMs)
  if (unanswered !== undefined) throw unanswered
}

/** Ends a handler that failed. @returns The error to end the call with. */
export async function endFailedClientRequests(error: Error, call: RunningCall, timeoutMs: number): Promise<Error> {
  try {
    return toError(await end(error, call, timeoutMs))
  } catch (failure) {
    return toError(failure)
  }
}

/** Whether a handler that ended with this error asked its client. */
export function hasAsked(error: Error, { context }: RunningCall): boolean {
  return error instanceof InputRequired || clientRequesterOf(context) !== null
}

async function end(error: unknown, { context, cancellation }: RunningCall, timeoutMs: number): Promise<unknown> {
  const ending = openClientRequester(context).end(error)
  // Nobody waits any more for what the handler left running.
  return cancellation.reason === null ? cancellation.race(ending, timeoutMs) : error
}
