import type { Cancellation, OutcomeHandler } from '../context/cancellation.js'
import { openClientRequests } from '../context/mcp-context.js'
import { toError } from '../errors/to-error.js'
import { asHookFailure } from '../hooks/failures.js'
import { type FeatureCall, replaceArguments } from '../hooks/feature-call.js'
import { createHookChain, type HookChain } from '../hooks/hook-chain.js'
import { RejectionObservers } from '../hooks/rejection-observers.js'
import { createAroundSample, runAround, type WrappedCall } from '../hooks/run-around.js'
import { isPromiseLike, withTimeout } from '../timing/with-timeout.js'
import { type Call, type CallPlan, handlerFailed, runHandler, type Step } from './call.js'
import { hasAsked } from './end-client-requests.js'
import { HookRun } from './hook-run.js'
import { authorizeReplaced, copyReplaced } from './replace-arguments.js'

/**
 * Runs the hooks and the handler of one call. One object holds all state, because closures and promises are the main cost of
 * hooks.
 */
class HookedCall extends HookRun implements WrappedCall, OutcomeHandler<void, void> {
  start(): void {
    const { call, cancellation } = this
    let invoking: Promise<void> | null
    try {
      const round = openClientRequests(call.context)
      // The round is entered before the hooks, because hooks can run steps.
      if (round !== null && !round.isEntered) {
        cancellation.race(round.enter(), call.plan.timeoutMs).then(
          () => this.start(),
          (error: unknown) => this.onRejected(error),
        )
        return
      }
      invoking = runInvoking(this.chain, this.feature, cancellation)
    } catch (thrown) {
      // The error is passed as a rejected promise, so that the call can be cancelled while it waits for its client requests.
      if (hasAsked(toError(thrown), call.context)) void cancellation.race(Promise.reject(thrown), Infinity, this)
      else this.onRejected(thrown)
      return
    }
    if (invoking === null) this.onFulfilled()
    else void cancellation.race(invoking, Infinity, this)
  }

  onFulfilled(): void {
    const { reason } = this.cancellation
    if (reason === null) runHandler(this.call)
    else this.onRejected(reason)
  }

  onRejected(thrown: unknown): void {
    handlerFailed(this.call, thrown)
  }

  proceed(): unknown {
    return this.call.plan.handle(this.call)
  }

  replaceArguments(given: unknown): Promise<void> | null {
    const { plan } = this.call
    const args = copyReplaced(plan, this.chain.feature, given)
    if (!isPromiseLike(args)) return this.#authorize(args)
    return Promise.resolve(args).then((parsed) => this.#authorize(parsed) ?? undefined)
  }

  #authorize(args: unknown): Promise<void> | null {
    const { call } = this
    const { plan } = call
    const { feature } = this.chain
    if (plan.guard !== null && plan.guard.policies !== null) {
      return authorizeReplaced(plan, feature, args, call).then(() => this.#replace(args))
    }
    this.#replace(args)
    return null
  }

  #replace(args: unknown): void {
    this.call.args = args
    replaceArguments(this.feature, args)
  }
}

export function createHookSample(call: Call): readonly object[] {
  const rejections = new RejectionObservers(0, call.context.log)
  const chain = createHookChain({ kind: 'tool', name: '', controller: null, method: null }, [], 0, rejections)
  const run = new HookedCall(chain, call, {})
  call.hookRun = run
  return [run, run.feature, createAroundSample(run)]
}

export function withHooks(chain: HookChain): Step {
  return (call) => {
    const run = new HookedCall(chain, call, call.args)
    call.hookRun = run
    run.start()
  }
}

export function withAround({ around }: HookChain, handle: CallPlan['handle']): CallPlan['handle'] {
  return around.length === 0 ? handle : (call) => runAround(call.hookRun as HookedCall)
}

/**
 * Runs the `onInvoking` hooks in order, until a hook rejects the call.
 *
 * @param first Index of the first hook that has not run yet.
 * @returns A promise only if there is something to await.
 * @throws The error that rejects the call.
 */
function runInvoking(chain: HookChain, call: FeatureCall, cancellation: Cancellation, first = 0): Promise<void> | null {
  for (let index = first; index < chain.onInvoking.length; index++) {
    const { name, run } = chain.onInvoking[index] as HookChain['onInvoking'][number]
    if (cancellation.reason !== null) throw cancellation.reason
    let returned: unknown
    try {
      returned = run(call)
      if (!isPromiseLike(returned)) continue
    } catch (thrown) {
      throw asHookFailure(name, thrown)
    }
    return waitFor(
      withTimeout(returned, chain.timeoutMs, () => cancellation.sinceAsked),
      name,
    ).then(() => runInvoking(chain, call, cancellation, index + 1) ?? undefined)
  }
  return null
}

async function waitFor(returned: Promise<unknown>, name: string): Promise<void> {
  try {
    await returned
  } catch (thrown) {
    throw asHookFailure(name, thrown)
  }
}
