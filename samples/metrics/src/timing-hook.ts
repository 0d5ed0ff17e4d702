import { type CallHook, type FeatureCall, injectable } from 'toolwright'

/** Threshold in milliseconds. */
const slowMs = 100

/** Logs slow calls. */
@injectable()
export class TimingHook implements CallHook {
  onCompleted(
    { name, context }: FeatureCall,
    _result: unknown,
    durationMs: number,
  ): void {
    if (durationMs > slowMs)
      context.log.warn(
        { feature: name, durationMs: Math.round(durationMs) },
        'slow call',
      )
  }
}
