import { refusalBy } from '../authorization/access-rule.js'
import type { McpContext } from '../context/mcp-context.js'
import type { Call } from './call.js'
import { refuse } from './check-access.js'
import { findResource, policyRefusal, type ResourcePlans, roleRefusal } from './find-resource.js'
import { observeForbidden } from './observe-forbidden.js'

/** Requests whose refusal was told of: one can ask for a thousand resources. */
const reported = new WeakSet<McpContext>()

/**
 * Whether a caller may be told of changes of a resource. A URI that names nothing, so far, is nobody's secret.
 *
 * @returns `false` for what is hidden from the caller: it looks the same as what is not there.
 * @throws AuthenticationError, ForbiddenError, CallCancelled
 */
export async function maySubscribe(plans: ResourcePlans, uri: string, call: Call): Promise<boolean> {
  const { context } = call
  const { principal } = context
  const found = findResource(plans, uri)
  if (found === null) return true
  const refusing = roleRefusal(found, principal) ?? (await policyRefusal(found, call))
  if (refusing === null) return true
  const { plan, variables } = refusing
  const refusal = refusalBy(plan.guard?.rule, principal)
  if (refusal !== null && !reported.has(context)) {
    reported.add(context)
    // Hooks are about calls of the resource, and this is none.
    observeForbidden({ guard: plan.guard, hooks: null }, variables, call, uri)
  }
  return refuse(refusal)
}
