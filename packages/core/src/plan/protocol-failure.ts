import type { Call } from '../call/call.js'
import { reportFailure, reportTimeout } from '../call/report-failure.js'
import { InputRequired } from '../client-requests/input-required.js'
import { CallCancelled, CallTimeout } from '../context/cancellation.js'
import { ToolError } from '../errors/call-errors.js'
import { ClientRequestError } from '../errors/client-request-errors.js'
import { ProtocolError } from '../errors/protocol-error.js'

/**
 * Converts the error of a prompt, resource or completion into a protocol error, because results of these features cannot report
 * errors.
 *
 * @param label Label for messages: `Prompt 'greet'`.
 */
export function toProtocolFailure(error: Error, label: string, call: Call): Error {
  if (error instanceof ProtocolError || error instanceof InputRequired) return error
  // `internalError`, because a missing answer of the client is not an error in the parameters.
  if (error instanceof ClientRequestError) return new ProtocolError('internalError', error.message)
  if (error instanceof ToolError) return new ProtocolError('invalidParams', error.message)
  const { reason } = call.cancellation
  if (reason instanceof CallCancelled) return reason
  const detail =
    reason instanceof CallTimeout ? reportTimeout(label, call.plan.timeoutMs, call) : reportFailure(error, label, call)
  return new ProtocolError('internalError', detail)
}
