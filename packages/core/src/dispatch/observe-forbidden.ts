import { forbidden, isAdmitted, whyNotAdmitted } from '../authorization/access-rule.js'
import type { GuardedPlan } from './check-access.js'
import type { HandlerCall } from './run-handler.js'
import { observeRefusal } from './run-hooked.js'
import type { RunnablePlan } from './run-plan.js'

/**
 * Tells the hooks of a feature that its rule refused a call. They hear why, also where the caller does not.
 *
 * @param args As they came, where the rule was asked before they were looked at.
 * @param uri The resource that is read; `null` for other features.
 */
export function observeForbidden(
  plan: (GuardedPlan & Pick<RunnablePlan, 'hooks'>) | undefined,
  args: unknown,
  call: Pick<HandlerCall, 'context' | 'cancellation'>,
  uri: string | null = null,
): void {
  if (plan === undefined || plan.hooks === null || plan.guard === null) return
  const { hooks, guard } = plan
  const { principal } = call.context
  // After the answer, even the making of an error: how long it takes tells nobody that a hidden feature is there.
  setImmediate(() => {
    const error = isAdmitted(guard, principal) ? forbidden() : whyNotAdmitted(guard.rule, principal)
    observeRefusal(hooks, args, { ...call, exposeErrors: false }, error, uri)
  })
}
