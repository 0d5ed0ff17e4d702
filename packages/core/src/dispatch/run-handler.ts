import type { Cancellation } from '../context/cancellation.js'
import { askerOf, beginAsking, type McpContext } from '../context/mcp-context.js'
import { toError } from '../errors/to-error.js'
import type { HookChain } from '../hooks/hook-chain.js'
import { isPromiseLike } from '../hooks/promise-like.js'
import type { Handler } from '../plan/bind-handler.js'
import { endAsking, endFailedAsking, hasAsked } from './end-asking.js'

/** One request for a feature, as far as running its handler goes. */
export interface HandlerCall {
  readonly context: McpContext
  readonly cancellation: Cancellation
  /** Sends the text of unexpected errors to the client: for development. */
  readonly exposeErrors: boolean
}

/** What plans of all kinds have. */
export interface RunnablePlan {
  readonly handler: Handler
  /** `null`: none. */
  readonly hooks: HookChain | null
  /** Milliseconds. */
  readonly timeoutMs: number
}

/** What becomes of a call once its handler has ended. */
export interface Outcome<Encoded, Result> {
  /** Whatever it throws, the call fails with. */
  encode(returned: unknown): Encoded
  finish(encoded: Encoded): Result | Promise<Result>
  /** @throws What the client is told, where no result can tell of it. */
  fail(error: Error): Result | Promise<Result>
}

/**
 * Runs the handler of a feature, waits for it as long as it may take, and ends what it asked its client.
 *
 * @param timeoutMs Milliseconds.
 * @returns A promise only where there is something to wait for.
 */
export function runHandler<Encoded, Result>(
  handler: Handler,
  args: unknown,
  call: HandlerCall,
  timeoutMs: number,
  outcome: Outcome<Encoded, Result>,
): Result | Promise<Result> {
  let encoded: Encoded
  try {
    beginAsking(call.context)
    const returned = handler(args, call.context)
    if (isPromiseLike(returned) || askerOf(call.context) !== null) return settle(returned, call, timeoutMs, outcome)
    encoded = outcome.encode(returned)
  } catch (thrown) {
    const error = toError(thrown)
    return hasAsked(error, call) ? settle(Promise.reject(error), call, timeoutMs, outcome) : outcome.fail(error)
  }
  return outcome.finish(encoded)
}

async function settle<Encoded, Result>(
  returned: unknown,
  call: HandlerCall,
  timeoutMs: number,
  outcome: Outcome<Encoded, Result>,
): Promise<Result> {
  let encoded: Encoded
  try {
    const value = isPromiseLike(returned) ? await call.cancellation.race(returned, timeoutMs) : returned
    if (askerOf(call.context) !== null) await endAsking(call, timeoutMs)
    encoded = outcome.encode(value)
  } catch (thrown) {
    const error = toError(thrown)
    return outcome.fail(hasAsked(error, call) ? await endFailedAsking(error, call, timeoutMs) : error)
  }
  return outcome.finish(encoded)
}
