import { InputRequired } from '../asking/input-required.js'
import { beginAsking } from '../context/mcp-context.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'
import { ToolError } from '../errors/tool-error.js'
import { FeatureCall } from '../hooks/feature-call.js'
import type { HookChain } from '../hooks/hook-chain.js'
import { runAround } from '../hooks/run-around.js'
import { runInvoking } from '../hooks/run-invoking.js'
import { runObservers } from '../hooks/run-observers.js'
import type { Handler } from '../plan/bind-handler.js'
import { type Encode, type Fail, type HandlerCall, type RunnablePlan, runHandler } from './run-handler.js'

/**
 * Runs a handler with the hooks of its feature. What the observers do changes nothing of the outcome.
 *
 * @param uri The resource that is read; `null` for other features.
 * @returns A promise only where there is something to wait for.
 */
export function runHooked<Plan extends RunnablePlan, Result>(
  chain: HookChain,
  args: unknown,
  call: HandlerCall,
  plan: Plan,
  encode: Encode<Result>,
  fail: Fail<Plan, Result>,
  uri: string | null = null,
): Result | Promise<Result> {
  const run = new HookedRun<Result>(chain, args, call, uri)
  try {
    const produced = run.produce(plan, encode, fail)
    if (produced instanceof Promise) return observeLater(produced, run)
    const pending = run.observe()
    return pending === null ? produced : pending.then(() => produced)
  } catch (thrown) {
    // The outcome of the call: observing does not throw.
    const pending = run.observe()
    if (pending === null) throw thrown
    return pending.then(() => {
      throw thrown
    })
  }
}

async function observeLater<Result>(produced: Promise<Result>, run: HookedRun<Result>): Promise<Result> {
  try {
    return await produced
  } finally {
    const pending = run.observe()
    if (pending !== null) await pending
  }
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
    const run = new HookedRun(chain, args, call, uri)
    run.refused(error)
    return run.observe()
  })
}

class HookedRun<Result> {
  readonly #began = performance.now()
  readonly #chain: HookChain
  readonly #args: unknown
  readonly #call: HandlerCall
  readonly #uri: string | null
  #hooked: FeatureCall | null = null
  #returned: unknown = undefined
  /** `null` as long as nothing failed. */
  #failure: Error | null = null

  constructor(chain: HookChain, args: unknown, call: HandlerCall, uri: string | null) {
    this.#chain = chain
    this.#args = args
    this.#call = call
    this.#uri = uri
  }

  /** @returns A promise only where there is something to wait for. */
  produce<Plan extends RunnablePlan>(
    plan: Plan,
    encode: Encode<Result>,
    fail: Fail<Plan, Result>,
  ): Result | Promise<Result> {
    const { cancellation, context } = this.#call
    const failSeen = (error: Error): Result => {
      this.refused(error)
      return fail(error, plan, this.#call)
    }
    let invoking: Promise<void> | null
    try {
      beginAsking(context)
      invoking = runInvoking(this.#chain, this.#feature, cancellation)
    } catch (thrown) {
      return failSeen(toError(thrown))
    }
    if (invoking === null) return this.#run(plan, encode, failSeen)
    const proceed = (): Result | Promise<Result> => this.#run(plan, encode, failSeen)
    return cancellation.race(invoking, Infinity).then(proceed, (thrown) => failSeen(toError(thrown)))
  }

  #run<Plan extends RunnablePlan>(
    plan: Plan,
    encode: Encode<Result>,
    fail: (error: Error) => Result,
  ): Result | Promise<Result> {
    const { cancellation } = this.#call
    if (cancellation.reason !== null) return fail(cancellation.reason)
    const encodeSeen = (returned: unknown): Result => {
      const result = encode(returned)
      this.#returned = returned
      this.#failure = errorIn(result)
      return result
    }
    return runHandler(this.#within(plan.handler), this.#args, this.#call, plan, encodeSeen, fail)
  }

  /** The handler with what is around it. */
  #within(handler: Handler): Handler {
    const chain = this.#chain
    if (chain.around.length === 0) return handler
    const { cancellation } = this.#call
    return (args, context) => runAround(chain, this.#feature, cancellation, () => handler(args, context))
  }

  /** Whatever a handler that was stopped made of it: it failed because it was stopped. */
  refused(error: Error): void {
    const { reason } = this.#call.cancellation
    const isOwn = error instanceof ToolError || error instanceof ProtocolError || error instanceof InputRequired
    this.#failure = reason === null || isOwn ? error : reason
  }

  observe(): Promise<void> | null {
    const chain = this.#chain
    const call = this.#feature
    const durationMs = performance.now() - this.#began
    const { timeoutMs } = chain
    const { context } = this.#call
    const failure = this.#failure
    if (failure === null) {
      return runObservers(chain.onCompleted, (run) => run(call, this.#returned, durationMs), timeoutMs, context)
    }
    if (failure instanceof InputRequired) {
      return runObservers(chain.onInputRequired, (run) => run(call, durationMs), timeoutMs, context)
    }
    return runObservers(chain.onFailed, (run) => run(call, failure, durationMs), timeoutMs, context)
  }

  /** Made late: only then its round is known. */
  get #feature(): FeatureCall {
    this.#hooked ??= new FeatureCall(this.#chain.feature, this.#args, this.#call.context, this.#uri)
    return this.#hooked
  }
}

/** A tool's result that tells the model of an error is a failure, thrown or not. */
function errorIn(result: unknown): ToolError | null {
  const { isError, content } = result as { readonly isError?: boolean; readonly content?: unknown }
  if (isError !== true) return null
  const [first] = Array.isArray(content) ? (content as readonly { readonly text?: unknown }[]) : []
  return new ToolError(typeof first?.text === 'string' ? first.text : 'The tool answered with an error.')
}
