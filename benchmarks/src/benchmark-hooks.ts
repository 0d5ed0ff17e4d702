import { PrometheusMetrics } from '@toolwright/prometheus'
import type { CallHook, FeatureCall } from 'toolwright'

/** Checks each call before it runs. */
class CheckingHook implements CallHook {
  checked = 0

  onInvoking({ context }: FeatureCall): void {
    if (context.principal?.subject === 'nobody') throw new Error('Nobody may call')
    this.checked++
  }
}

/** Adds up the durations of calls. */
class TimingHook implements CallHook {
  totalMs = 0

  onCompleted(_call: FeatureCall, _result: unknown, durationMs: number): void {
    this.totalMs += durationMs
  }
}

/** Adds up the durations of handlers, which it awaits. */
class WaitingHook implements CallHook {
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

/** Records how each call ended. */
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

/** Hooks that run with each call. `waiting` includes an `around` hook, which returns a promise. */
export type Hooks = 'none' | 'observing' | 'waiting'

/** Creates three hooks, and the metrics of `@toolwright/prometheus`. */
export function createHooks(hooks: Exclude<Hooks, 'none'>): readonly CallHook[] {
  const timing = hooks === 'waiting' ? new WaitingHook() : new TimingHook()
  return [new PrometheusMetrics(), new CheckingHook(), timing, new AuditHook()]
}
