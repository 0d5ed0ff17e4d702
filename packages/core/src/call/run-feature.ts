import { InputRequired } from '../client-requests/input-required.js'
import { CallCancelled, CallTimeout } from '../context/cancellation.js'
import { ToolError } from '../errors/call-errors.js'
import { ClientRequestError } from '../errors/client-request-errors.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { FeaturePlan } from '../plan/feature-plan.js'
import { reportFailure, reportTimeout } from './report-failure.js'
import type { Outcome } from './run-handler.js'
import { runPlan } from './run-plan.js'
import type { RunningCall } from './running-call.js'

/**
 * Runs a feature whose failures are errors of the protocol, with its hooks, and encodes what it returned.
 *
 * @param what Names the feature, for messages: `Prompt 'greet'`.
 * @param uri The resource that is read; `null` for other features.
 * @throws ProtocolError, CallCancelled, InputRequired
 */
export async function runFeature<Result>(
  what: string,
  plan: FeaturePlan,
  args: unknown,
  call: RunningCall,
  encode: (returned: unknown) => Result,
  uri: string | null = null,
): Promise<Result> {
  const outcome: Outcome<Result, Result> = {
    encode,
    describe: (error) => {
      throw toProtocolError(error, what, plan, call)
    },
    finish: (encoded) => encoded,
  }
  return runPlan(plan, args, call, outcome, uri)
}

function toProtocolError(error: Error, what: string, { timeoutMs }: FeaturePlan, call: RunningCall): Error {
  if (error instanceof ProtocolError || error instanceof InputRequired) return error
  // An answer that did not come is no mistake in the parameters.
  if (error instanceof ClientRequestError) return new ProtocolError('internalError', error.message)
  if (error instanceof ToolError) return new ProtocolError('invalidParams', error.message)
  const { reason } = call.cancellation
  if (reason instanceof CallCancelled) return reason
  if (reason instanceof CallTimeout) return new ProtocolError('internalError', reportTimeout(what, timeoutMs, call))
  return new ProtocolError('internalError', reportFailure(error, what, call))
}
