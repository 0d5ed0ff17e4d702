import { beginAsking } from '../context/mcp-context.js'
import { toError } from '../errors/to-error.js'
import type { HookChain } from '../hooks/hook-chain.js'
import { runAround } from '../hooks/run-around.js'
import { runInvoking } from '../hooks/run-invoking.js'
import type { Handler } from '../plan/bind-handler.js'
import { ObservedCall } from './observed-call.js'
import { fail, type HandlerCall, type Outcome, runHandler } from './run-handler.js'

/**
 * Runs a handler with the hooks of its feature. What the observers do changes nothing of the outcome.
 *
 * @param timeoutMs Milliseconds that the handler may take.
 * @param uri The resource that is read; `null` for other features.
 * @returns A promise only where there is something to wait for.
 */
export function runHooked<Encoded, Result>(
  chain: HookChain,
  handler: Handler,
  args: unknown,
  call: HandlerCall,
  timeoutMs: number,
  outcome: Outcome<Encoded, Result>,
  uri: string | null,
): Result | Promise<Result> {
  const { cancellation } = call
  const observed = new ObservedCall(chain, args, call, uri)
  const proceed = (): Result | Promise<Result> => {
    if (cancellation.reason !== null) return fail(cancellation.reason, outcome, observed)
    return runHandler(surround(handler, chain, observed, call), args, call, timeoutMs, outcome, observed)
  }
  let invoking: Promise<void> | null
  try {
    beginAsking(call.context)
    invoking = runInvoking(chain, observed.feature, cancellation)
  } catch (thrown) {
    return fail(toError(thrown), outcome, observed)
  }
  if (invoking === null) return proceed()
  return cancellation.race(invoking, Infinity).then(proceed, (thrown) => fail(toError(thrown), outcome, observed))
}

/** Tells the hooks of a call that was refused before any of them ran. Nobody waits for them, within a bound. */
export function observeRefusal(
  chain: HookChain,
  args: unknown,
  call: HandlerCall,
  error: Error,
  uri: string | null = null,
): void {
  chain.refusals.run(() => {
    const observed = new ObservedCall(chain, args, call, uri)
    observed.failed(error)
    return observed.observe()
  })
}

/** The handler with what is around it. */
function surround(handler: Handler, chain: HookChain, observed: ObservedCall, { cancellation }: HandlerCall): Handler {
  if (chain.around.length === 0) return handler
  return (args, context) => runAround({ chain, call: observed.feature, cancellation, handler, args, context })
}
