import { rejectionBy } from '../authorization/access-rule.js'
import type { FeatureRegistries } from '../catalog/feature-registry.js'
import type { McpContext } from '../context/mcp-context.js'
import type { Call } from './call.js'
import { reject } from './check-access.js'
import { wrongTransport } from './check-transport.js'
import { isOffered, policyRejection, type ResourcePlans, roleRejection, transportRejection } from './find-resource.js'
import { observeForbidden } from './observe-forbidden.js'
import { findParsed } from './parse-variables.js'

/**
 * Requests whose first rejection was reported. Later rejections are not reported, because one request can subscribe to a thousand
 * resources.
 */
const reported = new WeakSet<McpContext>()

/**
 * Whether a caller is allowed to subscribe to changes of a resource. Always true for an unknown URI: its resource could be added
 * later.
 *
 * @returns `false` for a hidden resource.
 * @throws AuthenticationError, ForbiddenError, CallCancelled
 */
export async function maySubscribe(
  { plans, catalog }: { readonly plans: ResourcePlans; readonly catalog: FeatureRegistries },
  uri: string,
  call: Call,
): Promise<boolean> {
  const { context } = call
  const { principal } = context
  const found = await findParsed(plans, uri, call)
  if (found === null) return true
  if (!isOffered(found, catalog, context)) return false
  const rejecting = roleRejection(found, principal) ?? (await policyRejection(found, call))
  if (rejecting === null) {
    const unreachable = transportRejection(found, context.transport)
    return unreachable === null || reject(wrongTransport(unreachable.plan, call))
  }
  const { plan, variables } = rejecting
  const rejection = rejectionBy(plan.guard?.rule, principal)
  if (rejection !== null && !reported.has(context)) {
    reported.add(context)
    // No hooks run, because hooks of a resource observe reads, and a subscription is not a read.
    observeForbidden({ guard: plan.guard, hooks: null }, variables, call)
  }
  return reject(rejection)
}
