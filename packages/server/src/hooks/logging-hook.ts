import { type CallHook, errorIdOfFailure, type FeatureCall, failureKindOf } from '@toolwright/core'

/**
 * Creates a hook that logs one line for each round of a call, at level `info`. Like all log lines of a request, each line has the
 * id, method, revision and client of the request. The hook adds `kind`, `feature`, `outcome` and `durationMs`. The hook adds
 * `round` from the second round on, `isRepeated` if the round was repeated, and `failure` and `errorId` if the round failed. The lines contain no arguments, results or
 * error messages.
 */
export function loggingHook(): CallHook {
  return {
    onCompleted: (call, _result, durationMs) => log(call, 'completed', durationMs),
    onFailed: (call, error, durationMs) => {
      const errorId = errorIdOfFailure(call, error) ?? undefined
      log(call, 'failed', durationMs, { failure: failureKindOf(error), errorId })
    },
    onInputRequired: (call, durationMs) => log(call, 'input-required', durationMs),
  }
}

type Outcome = 'completed' | 'failed' | 'input-required'

function log(call: FeatureCall, outcome: Outcome, durationMs: number, more: object = {}): void {
  const { kind, name: feature, round, isRepeated } = call
  call.context.log.info(
    {
      kind,
      feature,
      outcome,
      durationMs: Math.round(durationMs * 1000) / 1000,
      round: round === 1 ? undefined : round,
      isRepeated: isRepeated || undefined,
      ...more,
    },
    'call',
  )
}
