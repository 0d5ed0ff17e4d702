import { InputRequired } from '../client-requests/input-required.js'
import { CallCancelled, CallTimeout } from '../context/cancellation.js'
import { acceptOtherCopies } from '../copies/copies.js'
import { InvalidArguments, ToolError, UnfitResult } from '../errors/call-errors.js'
import { errorIdOf } from '../errors/internal-error.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'
import type { FeatureCall } from './feature-call.js'

/**
 * Thrown when a hook timed out, or threw an error that is not for the client. This is an internal error: `cause` is the original
 * error.
 */
export class HookFailure extends Error {
  override readonly name = 'HookFailure'

  constructor(
    /** Name of the method, such as `AuditHook.onInvoking`. */
    readonly hook: string,
    cause: Error,
  ) {
    super(`${hook} failed: ${cause.message}`, { cause })
  }
}
acceptOtherCopies(HookFailure, 'HookFailure')

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

/** All kinds of failures of a call: few enough to be labels of a metric. */
export const failureKinds = [
  'tool-error',
  'protocol-error',
  'unauthorized',
  'forbidden',
  'invalid-arguments',
  'unfit-result',
  'timeout',
  'cancelled',
  'hook',
  'unexpected',
] as const

export type FailureKind = (typeof failureKinds)[number]

/** Returns the kind of an error that `onFailed` receives. */
export function failureKindOf(error: Error): FailureKind {
  if (error instanceof ToolError) return 'tool-error'
  if (error instanceof ProtocolError) {
    return error.kind === 'unauthorized' || error.kind === 'forbidden' ? error.kind : 'protocol-error'
  }
  if (error instanceof InvalidArguments) return 'invalid-arguments'
  if (error instanceof UnfitResult) return 'unfit-result'
  if (error instanceof CallTimeout) return 'timeout'
  if (error instanceof CallCancelled) return 'cancelled'
  return error instanceof HookFailure ? 'hook' : 'unexpected'
}

const unexpected: readonly FailureKind[] = ['unexpected', 'unfit-result', 'hook']

/**
 * Returns the id that is both in the response to a failed call and in the log line; `null` if the response itself contains the
 * cause.
 */
export function errorIdOfFailure({ context }: FeatureCall, error: Error): string | null {
  return unexpected.includes(failureKindOf(error)) ? errorIdOf(context) : null
}
