import type { Cancellation, Settler } from '../context/cancellation.js'
import { openClientRequests } from '../context/mcp-context.js'
import { toError } from '../errors/to-error.js'
import { type FeatureCall, replaceArguments } from '../hooks/feature-call.js'
import type { HookChain } from '../hooks/hook-chain.js'
import { runAround, type Surrounded } from '../hooks/run-around.js'
import { runInvoking } from '../hooks/run-invoking.js'
import type { FeaturePlan } from '../plan/feature-plan.js'
import { latestCall } from '../util/keep-fast.js'
import { hasAsked } from './end-client-requests.js'
import { HookRun } from './hook-run.js'
import { authorizeReplaced, copyReplaced } from './replace-arguments.js'
import { failOrAsk, type LimitedHandler, type Outcome, runHandler } from './run-handler.js'
import type { RunningCall } from './running-call.js'

/**
 * Runs the handler of a plan, with the plan's hooks. What the observers among them do changes nothing of the outcome.
 *
 * @param uri The resource that is read; `null` for other features.
 * @returns A promise only where there is something to wait for.
 */
export function runPlan<Encoded, Result>(
  plan: FeaturePlan,
  args: unknown,
  call: RunningCall,
  outcome: Outcome<Encoded, Result>,
  uri: string | null = null,
): Result | Promise<Result> {
  const { hooks } = plan
  if (hooks === null) return runHandler(plan, args, call, outcome, null)
  return new HookedRun(plan, hooks, args, call, outcome, new HookRun(hooks, args, call, uri)).run()
}

/** One run of a handler within its hooks. One object for all of it: closures and promises are what hooks cost most. */
class HookedRun<Encoded, Result> implements LimitedHandler, Surrounded, Settler<void, Result> {
  constructor(
    private readonly plan: FeaturePlan,
    readonly chain: HookChain,
    private args: unknown,
    private readonly call: RunningCall,
    private readonly outcome: Outcome<Encoded, Result>,
    private readonly hookRun: HookRun,
  ) {
    latestCall.hookedRun = this
  }

  run(): Result | Promise<Result> {
    let invoking: Promise<void> | null
    try {
      openClientRequests(this.call.context)
      invoking = runInvoking(this.chain, this.feature, this.cancellation)
    } catch (thrown) {
      // As if the hook had returned a promise: while its questions are put together, the call may still be cancelled.
      if (hasAsked(toError(thrown), this.call)) return this.cancellation.race(Promise.reject(thrown), Infinity, this)
      return this.onRejected(thrown)
    }
    return invoking === null ? this.onFulfilled() : this.cancellation.race(invoking, Infinity, this)
  }

  /** No `onInvoking` refused the call. */
  onFulfilled(): Result | Promise<Result> {
    const { reason } = this.cancellation
    if (reason !== null) return this.onRejected(reason)
    const limited = this.chain.around.length === 0 ? this.plan : this
    return runHandler(limited, this.args, this.call, this.outcome, this.hookRun)
  }

  onRejected(thrown: unknown): Result | Promise<Result> {
    return failOrAsk(toError(thrown), this.call, this.timeoutMs, this.outcome, this.hookRun)
  }

  /** The handler with what is around it. */
  handler(): unknown {
    return runAround(this)
  }

  proceed(): unknown {
    return this.plan.handler(this.args, this.call.context)
  }

  replaceArguments(given: unknown): Promise<void> | null {
    const { plan, call } = this
    const { feature } = this.chain
    const args = copyReplaced(plan, feature, given)
    if (plan.guard !== null && plan.guard.policies !== null) {
      return authorizeReplaced(plan, feature, args, call).then(() => this.#take(args))
    }
    this.#take(args)
    return null
  }

  #take(args: unknown): void {
    this.args = args
    replaceArguments(this.feature, args)
  }

  get timeoutMs(): number {
    return this.plan.timeoutMs
  }

  get feature(): FeatureCall {
    return this.hookRun.feature
  }

  get cancellation(): Cancellation {
    return this.call.cancellation
  }
}
