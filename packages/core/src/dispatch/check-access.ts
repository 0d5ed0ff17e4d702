import { forbidden, isVisible, refusalOf } from '../authorization/access-rule.js'
import type { AuthorizationRequest, PolicyFunction, RequestedFeature } from '../authorization/policy.js'
import type { Principal } from '../context/principal.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'
import type { Guard } from '../plan/guard.js'
import type { HandlerCall } from './run-handler.js'

/** What plans of all kinds have. */
export interface GuardedPlan {
  /** `null`: everybody may use it. */
  readonly guard: Guard | null
}

/**
 * Whether a caller has the roles and scopes for a feature. Before anything is read of its arguments, or written.
 *
 * @param unknown What a caller is told of a feature that is not there.
 * @throws UnauthorizedError, ForbiddenError, or what `unknown` makes when forbidden features are hidden.
 */
export function checkAdmitted(guard: Guard, principal: Principal | null, unknown: () => ProtocolError): void {
  const refusal = refusalOf(guard.rule, principal)
  if (refusal !== null) throw guard.rule.isHidden ? unknown() : refusal
}

/**
 * Asks the policies of a feature, once its arguments are known to be good.
 *
 * @throws as {@link checkAdmitted} does, and CallCancelled when nobody waits for the answer any more.
 */
export async function checkPolicies(
  guard: Guard,
  feature: RequestedFeature,
  args: unknown,
  call: Pick<HandlerCall, 'context' | 'cancellation'>,
  unknown: () => ProtocolError,
): Promise<void> {
  const { context, cancellation } = call
  const request: AuthorizationRequest = Object.freeze({
    principal: context.principal,
    feature,
    arguments: args,
    context,
  })
  for (const policy of guard.policies ?? []) {
    // One after the other: what the first refuses is no business of the next.
    // oxlint-disable-next-line no-await-in-loop
    const isAllowed = await asks(policy, request, guard.rule.policyTimeoutMs)
    if (!isAllowed) throw guard.rule.isHidden ? unknown() : forbidden()
  }
  if (cancellation.reason !== null) throw cancellation.reason
}

/** Anything but a `true` in time is a no. */
async function asks(policy: PolicyFunction, request: AuthorizationRequest, timeoutMs: number): Promise<boolean> {
  const { feature, context } = request
  let timer: NodeJS.Timeout | undefined
  try {
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`The policy did not decide within ${timeoutMs} ms`)), timeoutMs)
    })
    const decision: unknown = await Promise.race([policy(request), tooLate])
    return decision === true
  } catch (thrown) {
    context.log.error({ err: toError(thrown), feature }, 'a policy failed, so the call is refused')
    return false
  } finally {
    clearTimeout(timer)
  }
}

/** The keys of what a caller may know of, for suggestions. */
export function* visibleKeys(plans: ReadonlyMap<string, GuardedPlan>, principal: Principal | null): Iterable<string> {
  for (const [key, { guard }] of plans) {
    if (guard === null || isVisible(guard, principal)) yield key
  }
}
