import { CallCancelled, CallTimeout } from '../context/cancellation.js'
import { InvalidArguments } from '../errors/invalid-arguments.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { ToolError } from '../errors/tool-error.js'
import { UnfitResult } from '../errors/unfit-result.js'
import { HookFailure } from './hook-failure.js'

/** Every way in which a call can fail: few enough to be labels of a metric. */
export const failureKinds = [
  'tool-error',
  'protocol-error',
  'invalid-arguments',
  'unfit-result',
  'timeout',
  'cancelled',
  'hook',
  'unexpected',
] as const

export type FailureKind = (typeof failureKinds)[number]

/** What kind of failure `onFailed` is told of. */
export function failureKindOf(error: Error): FailureKind {
  if (error instanceof ToolError) return 'tool-error'
  if (error instanceof ProtocolError) return 'protocol-error'
  if (error instanceof InvalidArguments) return 'invalid-arguments'
  if (error instanceof UnfitResult) return 'unfit-result'
  if (error instanceof CallTimeout) return 'timeout'
  if (error instanceof CallCancelled) return 'cancelled'
  return error instanceof HookFailure ? 'hook' : 'unexpected'
}

/** Whether the client is told nothing of the cause but an error id. */
export function isUnexpected(kind: FailureKind): boolean {
  return kind === 'unexpected' || kind === 'unfit-result' || kind === 'hook'
}
