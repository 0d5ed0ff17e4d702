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

/** Adds up how long calls take. */
class TimingHook implements CallHook {
  totalMs = 0

  onCompleted(_call: FeatureCall, _result: unknown, durationMs: number): void {
    this.totalMs += durationMs
  }
}

/** The same from around each handler, which it waits for. */
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

/** Which hooks run with each call: `waiting` has one around it, which returns a promise. */
export type Hooks = 'none' | 'observing' | 'waiting'

/** Three hooks, and the metrics of `@toolwright/prometheus`. */
export function createHooks(hooks: Exclude<Hooks, 'none'>): readonly CallHook[] {
  const timing = hooks === 'waiting' ? new WaitingHook() : new TimingHook()
  return [new PrometheusMetrics(), new CheckingHook(), timing, new AuditHook()]
}
