import { shorten } from '@toolwright/schema'
import { isAdmitted, rejectionBy, whyRejected } from '../authorization/access-rule.js'
import type { McpContext } from '../context/mcp-context.js'
import { ForbiddenError } from '../errors/forbidden-error.js'
import { logFailure } from '../errors/log-failure.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import { markAsHidden } from '../hooks/hidden-rejections.js'
import type { Call, CallPlan, Guard } from './call.js'
import { observeRejection } from './hook-run.js'

/**
 * Delay in milliseconds before the log line and the hooks. The response is sent first, so that its timing does not reveal a
 * hidden feature. A delay until the next turn of the event loop would be too short if the client runs on the same machine.
 */
const afterMs = 5

type RejectedPlan = Pick<CallPlan, 'guard' | 'hooks'>

/**
 * Rejects a caller who lacks a role or scope, or whom a policy rejected. Reports the rejection with {@link observeForbidden}.
 *
 * @returns The error for the client; `null`: the same error as for a missing feature.
 */
export function rejectUse(plan: RejectedPlan | undefined, args: unknown, call: Call): ProtocolError | null {
  observeForbidden(plan, args, call)
  return rejectionBy(plan?.guard?.rule, call.context.principal)
}

/**
 * Reports a call that an access rule rejected: to the log, and to the hooks of the feature. The log and the hooks get the actual
 * reason, even if the client does not.
 *
 * @param args Raw arguments, if the rule was checked before they were validated.
 */
export function observeForbidden(plan: RejectedPlan | undefined, args: unknown, call: Call): void {
  if (plan === undefined || plan.guard === null) return
  const { hooks, guard } = plan
  const { context } = call
  setTimeout(() => {
    try {
      const error = whyRejected(guard.rule, context.principal)
      if (guard.rule.isHidden) markAsHidden(error)
      logForbidden(guard, context, error)
      if (hooks !== null) observeRejection(hooks, args, call, error)
    } catch (error) {
      // The error is not rethrown: an uncaught error in a timer would end the process.
      logFailure(context.log, error, {}, 'hooks could not observe a rejected call')
    }
  }, afterMs)
}

/**
 * Logs the rejection of an authenticated caller. Ignores anonymous callers: many clients begin anonymously, to find the
 * authorization server.
 */
function logForbidden(guard: Guard, context: McpContext, error: ProtocolError): void {
  if (context.principal === null || !(error instanceof ForbiddenError)) return
  const { missingScopes } = error
  const { kind, name } = guard.feature
  const reason = isAdmitted(guard, context.principal) ? 'policy' : 'role'
  context.log.info(
    {
      kind,
      feature: name,
      subject: shorten(context.principal.subject),
      ...(missingScopes.length > 0 ? { missingScopes } : { reason }),
    },
    'request rejected: the caller may not use this feature',
  )
}
