import { isVisible } from '../authorization/access-rule.js'
import type { AuthorizationRequest, PolicyFunction, RequestedFeature } from '../authorization/policy.js'
import type { Principal } from '../context/principal.js'
import { logFailure } from '../errors/log-failure.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'
import { withTimeout } from '../timing/with-timeout.js'
import type { Call, GuardedPlan } from './call.js'

/** For what has no answer like "unknown tool": a hidden refusal is the same `false` as nothing found. @throws the refusal */
export function refuse(refusal: ProtocolError | null): false {
  if (refusal !== null) throw refusal
  return false
}

/**
 * Asks the policies of a feature, once its arguments are known to be good.
 *
 * @throws CallCancelled when nobody waits for the answer any more.
 */
export async function policiesAllow(
  { guard }: GuardedPlan,
  feature: RequestedFeature,
  args: unknown,
  { context, cancellation }: Pick<Call, 'context' | 'cancellation'>,
): Promise<boolean> {
  if (guard === null || guard.policies === null) return true
  const request: AuthorizationRequest = Object.freeze({
    principal: context.principal,
    feature,
    arguments: args,
    context,
  })
  for (const policy of guard.policies) {
    if (cancellation.reason !== null) throw cancellation.reason
    // One after the other: what the first refuses is no business of the next.
    // oxlint-disable-next-line no-await-in-loop
    if (!(await cancellation.race(allows(policy, request, guard.rule.policyTimeoutMs), Infinity))) return false
  }
  if (cancellation.reason !== null) throw cancellation.reason
  return true
}

/** Anything but a `true` in time is a no. */
async function allows(policy: PolicyFunction, request: AuthorizationRequest, timeoutMs: number): Promise<boolean> {
  const { feature, context } = request
  try {
    const decision: unknown = await withTimeout(policy(request), timeoutMs)
    return decision === true
  } catch (thrown) {
    logFailure(context.log, toError(thrown), { feature }, 'a policy failed, so the call is refused')
    return false
  }
}

/** The keys of what a caller may know of, for suggestions. */
export function* visibleKeys(plans: ReadonlyMap<string, GuardedPlan>, principal: Principal | null): Iterable<string> {
  for (const [key, { guard }] of plans) {
    if (guard === null || isVisible(guard, principal)) yield key
  }
}
