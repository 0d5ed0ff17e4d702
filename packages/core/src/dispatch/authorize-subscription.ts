import { ResourceNotFoundError } from '../errors/protocol-error.js'
import { checkAdmitted, checkPolicies } from './check-access.js'
import { findResource, type ResourcePlans } from './read-resource.js'
import type { HandlerCall } from './run-handler.js'

/**
 * Whether a caller may be told of changes of a resource. A URI that names nothing, so far, is nobody's secret.
 *
 * @returns `false` for what is hidden from the caller: it looks the same as what is not there.
 * @throws UnauthorizedError, ForbiddenError, CallCancelled
 */
export async function maySubscribe(
  plans: ResourcePlans,
  uri: string,
  call: Pick<HandlerCall, 'context' | 'cancellation'>,
): Promise<boolean> {
  const found = findResource(plans, uri)
  const guard = found?.plan.guard ?? null
  if (found === null || guard === null) return true
  const unknown = (): ResourceNotFoundError => new ResourceNotFoundError(uri)
  try {
    checkAdmitted(guard, call.context.principal, unknown)
    if (guard.policies !== null) {
      await checkPolicies(guard, { kind: 'resource', name: uri }, found.variables, call, unknown)
    }
    return true
  } catch (error) {
    if (error instanceof ResourceNotFoundError) return false
    throw error
  }
}
