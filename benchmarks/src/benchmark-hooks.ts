import { PrometheusMetrics } from '@toolwright/prometheus'
import type { CallHook, FeatureCall } from 'toolwright'

/** Looks at each call before it runs, as a hook that checks something would. */
class CheckingHook implements CallHook {
  checked = 0

  onInvoking({ context }: FeatureCall): void {
    if (context.principal?.subject === 'nobody') throw new Error('Nobody may call')
    this.checked++
  }
}

/** Stands around each handler. */
class TimingHook implements CallHook {
  totalMs = 0

  async around(_call: FeatureCall, next: () => Promise<unknown>): Promise<unknown> {
    const began = performance.now()
    try {
      return await next()
    } finally {
      this.totalMs += performance.now() - began
    }
  }
}

/** Notes how each call ended. */
class AuditHook implements CallHook {
  last = ''
  slowestMs = 0

  onCompleted({ kind, name }: FeatureCall, _result: unknown, durationMs: number): void {
    this.last = `${kind} ${name}: completed`
    this.slowestMs = Math.max(this.slowestMs, durationMs)
  }

  onFailed({ kind, name }: FeatureCall, { message }: Error): void {
    this.last = `${kind} ${name}: ${message}`
  }
}

/** Three hooks, one for each moment of a call, and the metrics of `@toolwright/prometheus`. */
export function createHooks(): readonly CallHook[] {
  return [new PrometheusMetrics(), new CheckingHook(), new TimingHook(), new AuditHook()]
}
