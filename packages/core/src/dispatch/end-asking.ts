import { InputRequired } from '../asking/input-required.js'
import { askerOf, openAsker } from '../context/mcp-context.js'
import type { HandlerCall } from './run-handler.js'

/**
 * What a handler's call ends with, given the error that the handler ended with (`undefined`: none). Only for calls that
 * asked their client, or failed.
 *
 * @returns An error; `undefined` for none.
 */
export async function endAsking(error: unknown, call: HandlerCall, timeoutMs: number): Promise<unknown> {
  const { context, cancellation } = call
  try {
    const asker = error instanceof InputRequired ? openAsker(context) : askerOf(context)
    if (asker === null) return error
    const ending = asker.end(error)
    // Nobody waits any more for what the handler left running.
    return cancellation.reason === null ? await cancellation.race(ending, timeoutMs) : error
  } catch (failure) {
    return failure
  }
}
