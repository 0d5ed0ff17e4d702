import { InputRequired } from '../client-requests/input-required.js'
import { CallCancelled, CallTimeout } from '../context/cancellation.js'
import { acceptOtherCopies } from '../copies/copies.js'
import { ToolError } from '../errors/call-errors.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'

/** A hook threw an error that is not for the client, or timed out. An internal error: `cause` is the original error. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure'

  constructor(
    /** Such as `AuditHook.onInvoking`. */
    readonly hook: string,
    cause: Error,
  ) {
    super(`${hook} failed: ${cause.message}`, { cause })
  }
}
acceptOtherCopies(HookFailure, 'HookFailure')

/** Converts an error of a hook to the error of the call. Errors that are meant for the client stay unchanged. */
export function asHookFailure(hook: string, thrown: unknown): Error {
  const error = toError(thrown)
  return isDeliberate(error) ? error : new HookFailure(hook, error)
}

function isDeliberate(error: Error): boolean {
  return (
    error instanceof ToolError ||
    error instanceof ProtocolError ||
    error instanceof InputRequired ||
    error instanceof CallCancelled ||
    error instanceof CallTimeout
  )
}
