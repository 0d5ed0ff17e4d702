import type { AuthorizationRequest, PolicyFunction, RequestedFeature } from '../authorization/policy.js'
import { logFailure } from '../errors/log-failure.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'
import { withTimeout } from '../timing/with-timeout.js'
import type { Call, GuardedPlan } from './call.js'

/**
 * Rejects a subscription or a completion. If the feature is hidden, returns `false` instead: the client then gets the same
 * successful answer as for a missing feature.
 *
 * @param rejection `null` if the feature is hidden.
 * @throws the given error
 */
export function reject(rejection: ProtocolError | null): false {
  if (rejection !== null) throw rejection
  return false
}

/**
 * Evaluates the policies of a feature. Called after the arguments were validated.
 *
 * @throws CallCancelled if the call was cancelled.
 */
export async function policiesAllow(
  { guard }: Pick<GuardedPlan, 'guard'>,
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
    // Policies run one after the other, so that later policies do not see requests that an earlier policy rejected.
    // oxlint-disable-next-line no-await-in-loop
    if (!(await cancellation.race(allows(policy, request, guard.rule.policyTimeoutMs), Infinity))) return false
  }
  if (cancellation.reason !== null) throw cancellation.reason
  return true
}

async function allows(policy: PolicyFunction, request: AuthorizationRequest, timeoutMs: number): Promise<boolean> {
  const { feature, context } = request
  try {
    const decision: unknown = await withTimeout(policy(request), timeoutMs)
    return decision === true
  } catch (thrown) {
    logFailure(context.log, toError(thrown), { feature }, 'a policy failed: the call is rejected')
    return false
  }
}
