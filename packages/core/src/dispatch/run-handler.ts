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

/** Turns what a handler returned into a result. */
export type Encode<Result> = (returned: unknown) => Result

/** Turns what a handler threw into a result that tells of it, or throws what the client is told. */
export type Fail<Plan, Result> = (error: Error, plan: Plan, call: HandlerCall) => Result

/**
 * Runs the handler of a feature, waits for it as long as its plan allows, and ends what it asked its client.
 *
 * @param handler The plan's, or what is put around it.
 * @returns A promise only where there is something to wait for.
 */
export function runHandler<Plan extends RunnablePlan, Result>(
  handler: Handler,
  args: unknown,
  call: HandlerCall,
  plan: Plan,
  encode: Encode<Result>,
  fail: Fail<Plan, Result>,
): Result | Promise<Result> {
  try {
    beginAsking(call.context)
    const returned = handler(args, call.context)
    if (isPromiseLike(returned) || askerOf(call.context) !== null) return settle(returned, call, plan, encode, fail)
    return encode(returned)
  } catch (thrown) {
    const error = toError(thrown)
    if (hasAsked(error, call)) return settle(Promise.reject(error), call, plan, encode, fail)
    return fail(error, plan, call)
  }
}

async function settle<Plan extends RunnablePlan, Result>(
  returned: unknown,
  call: HandlerCall,
  plan: Plan,
  encode: Encode<Result>,
  fail: Fail<Plan, Result>,
): Promise<Result> {
  try {
    const value = isPromiseLike(returned) ? await call.cancellation.race(returned, plan.timeoutMs) : returned
    if (askerOf(call.context) !== null) await endAsking(call, plan.timeoutMs)
    return encode(value)
  } catch (thrown) {
    const error = toError(thrown)
    const failure = hasAsked(error, call) ? await endFailedAsking(error, call, plan.timeoutMs) : error
    return fail(failure, plan, call)
  }
}
