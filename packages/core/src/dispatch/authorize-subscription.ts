import { mayUse, policiesAllow, policyRefusalOf, refusalOf, refuse } from './check-access.js'
import { observeForbidden } from './observe-forbidden.js'
import { findResource, type ResourcePlans } from './read-resource.js'
import type { HandlerCall } from './run-handler.js'

/**
 * Whether a caller may be told of changes of a resource. A URI that names nothing, so far, is nobody's secret.
 *
 * @returns `false` for what is hidden from the caller: it looks the same as what is not there.
 * @throws AuthenticationError, ForbiddenError, CallCancelled
 */
export async function maySubscribe(
  plans: ResourcePlans,
  uri: string,
  call: Pick<HandlerCall, 'context' | 'cancellation'>,
): Promise<boolean> {
  const { principal } = call.context
  const found = findResource(plans, uri)
  if (found === null) return true
  const { plan, variables } = found
  // Hooks are about calls of the resource, and this is none.
  const unheard = { guard: plan.guard, hooks: null }
  if (!mayUse(plan, principal)) {
    observeForbidden(unheard, variables, call, uri)
    return refuse(refusalOf(plan, principal))
  }
  if (await policiesAllow(plan, { kind: 'resource', name: uri }, variables, call)) return true
  observeForbidden(unheard, variables, call, uri)
  return refuse(policyRefusalOf(plan))
}
