import { type CallHook, type FeatureCall, injectable } from 'toolwright'

/** Milliseconds. */
const slowMs = 100

/** Says in the log which calls are slow. */
@injectable()
export class TimingHook implements CallHook {
  onCompleted({ name, context }: FeatureCall, _result: unknown, durationMs: number): void {
    if (durationMs > slowMs) context.log.warn({ feature: name, durationMs: Math.round(durationMs) }, 'slow call')
  }
}
