import { InputRequired } from '../asking/input-required.js'
import { CallCancelled, CallTimeout, type Cancellation } from '../context/cancellation.js'
import { askerOf, beginAsking, type McpContext } from '../context/mcp-context.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'
import { ToolError } from '../errors/tool-error.js'
import type { Handler } from '../plan/bind-handler.js'
import { endAsking, endFailedAsking, hasAsked } from './end-asking.js'
import { reportFailure } from './report-failure.js'

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
  /** Milliseconds. */
  readonly timeoutMs: number
}

/**
 * Runs the handler of a feature whose failures are errors of the protocol, and encodes what it returned.
 *
 * @param what Names the feature, for messages: `Prompt 'greet'`.
 * @throws ProtocolError, CallCancelled, InputRequired
 */
export async function runHandler<Result>(
  what: string,
  plan: RunnablePlan,
  args: unknown,
  call: HandlerCall,
  encode: (returned: unknown) => Result,
): Promise<Result> {
  try {
    beginAsking(call.context)
    const returned = plan.handler(args, call.context)
    const value = isPromiseLike(returned) ? await call.cancellation.race(returned, plan.timeoutMs) : returned
    if (askerOf(call.context) !== null) await endAsking(call, plan.timeoutMs)
    return encode(value)
  } catch (error) {
    const failure = hasAsked(error, call) ? await endFailedAsking(error, call, plan.timeoutMs) : error
    throw toProtocolError(failure, what, plan, call)
  }
}

function toProtocolError(thrown: unknown, what: string, { timeoutMs }: RunnablePlan, call: HandlerCall): Error {
  const error = toError(thrown)
  if (error instanceof ProtocolError || error instanceof InputRequired) return error
  if (error instanceof ToolError) return new ProtocolError('internalError', error.message)
  const { reason } = call.cancellation
  if (reason instanceof CallCancelled) return reason
  if (reason instanceof CallTimeout) return new ProtocolError('internalError', reportTimeout(what, timeoutMs, call))
  return new ProtocolError('internalError', reportFailure(error, what, call))
}

/** Logs that a handler took too long, and returns what the client is told. */
export function reportTimeout(what: string, timeoutMs: number, { context }: HandlerCall): string {
  context.log.warn({ timeoutMs }, `${what} timed out`)
  return `${what} did not finish within ${timeoutMs / 1000} seconds and was stopped.`
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Partial<PromiseLike<unknown>>).then === 'function'
  )
}
