import type { CallHook } from './call-hook.js'
import { errorIdOfFailure, failureKindOf } from './failure-kind.js'
import type { FeatureCall } from './feature-call.js'

/**
 * A hook that logs one line for each round of a call, at level `info`: the request's id, method, revision and client, as
 * all lines of the request have them, and `kind`, `feature`, `outcome`, `durationMs`, from the second round on `round`,
 * and of a failure `failure` and `errorId`. Neither arguments nor results nor texts of errors are in it.
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
  const { kind, name: feature, round } = call
  call.context.log.info(
    {
      kind,
      feature,
      outcome,
      durationMs: Math.round(durationMs * 1000) / 1000,
      round: round === 1 ? undefined : round,
      ...more,
    },
    'call',
  )
}
