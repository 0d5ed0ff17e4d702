import type { Cancellation } from '../context/cancellation.js'
import { isPromiseLike, withTimeout } from '../timing/with-timeout.js'
import type { FeatureCall } from './feature-call.js'
import type { HookChain } from './hook-chain.js'
import { asHookFailure } from './hook-failure.js'

/**
 * Runs the `onInvoking` hooks in order, until a hook rejects the call.
 *
 * @param first Index of the first hook that has not run yet.
 * @returns A promise only if there is something to await.
 * @throws The error that rejects the call.
 */
export function runInvoking(
  chain: HookChain,
  call: FeatureCall,
  cancellation: Cancellation,
  first = 0,
): Promise<void> | null {
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
    const sinceAsked = (): number => cancellation.sinceAsked
    return waitFor(withTimeout(returned, chain.timeoutMs, sinceAsked), name).then(
      () => runInvoking(chain, call, cancellation, index + 1) ?? undefined,
    )
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
