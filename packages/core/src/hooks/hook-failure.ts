import { InputRequired } from '../client-requests/input-required.js'
import { CallCancelled, CallTimeout } from '../context/cancellation.js'
import { acceptOtherCopies } from '../copies/copies.js'
import { ToolError } from '../errors/call-errors.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'

/** A hook threw what is not for the client, or took too long. An internal failure: `cause` is what it threw. */
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

/** What a hook threw, as the error that the call ends with: what is meant for the client stays what it is. */
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
