import { isAdmitted, refusalBy, whyRefused } from '../authorization/access-rule.js'
import type { McpContext } from '../context/mcp-context.js'
import { ForbiddenError } from '../errors/forbidden-error.js'
import { logFailure } from '../errors/log-failure.js'
import { type ProtocolError, shorten } from '../errors/protocol-error.js'
import { markAsHidden } from '../hooks/hidden-refusals.js'
import { type Call, type CallPlan, type Guard } from './call.js'
import { observeRejection } from './hook-run.js'

/**
 * Milliseconds that the log and the hooks wait. By then the caller has its answer, so the time that telling them takes does
 * not show that a hidden feature is there. The next turn of the event loop would be too soon: a client on the same machine
 * could still be kept waiting for a processor.
 */
const afterMs = 5

/** A plan that a call was refused for: what its rule is, and who hears of it. */
type RefusedPlan = Pick<CallPlan, 'guard' | 'hooks'>

/**
 * Refuses a caller who lacks the roles or scopes for a feature, or whom a policy refused. Others hear of it, see
 * {@link observeForbidden}.
 *
 * @returns What the caller is told; `null`: the same as of what is not there.
 */
export function refuseUse(
  plan: RefusedPlan | undefined,
  args: unknown,
  call: Call,
  uri: string | null = null,
): ProtocolError | null {
  observeForbidden(plan, args, call, uri)
  return refusalBy(plan?.guard?.rule, call.context.principal)
}

/**
 * Tells the log and the hooks of a feature that its rule refused a call. They hear why, also where the caller does not.
 *
 * @param args As they came, where the rule was asked before they were looked at.
 * @param uri The resource that is read; `null` for other features.
 */
export function observeForbidden(
  plan: RefusedPlan | undefined,
  args: unknown,
  call: Call,
  uri: string | null = null,
): void {
  if (plan === undefined || plan.guard === null) return
  const { hooks, guard } = plan
  const { context } = call
  const tell = (): void => {
    const error = whyRefused(guard.rule, context.principal)
    if (guard.rule.isHidden) markAsHidden(error)
    logForbidden(guard, context, error)
    if (hooks !== null) observeRejection(hooks, args, call, error, uri)
  }
  setTimeout(() => {
    try {
      tell()
    } catch (error) {
      // Nobody would catch it in a timer.
      logFailure(context.log, error, {}, 'hooks could not be told of a refused call')
    }
  }, afterMs)
}

/** Not where the caller has no credentials: many clients send such a request first, to learn where to get some. */
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
    'request refused: its caller may not use this',
  )
}
