import { executionAsyncResource } from 'node:async_hooks'

let kept: object | null = null

/**
 * Keeps `process.nextTick` fast, which an HTTP request calls about six times. Node queues one tick object per call. When a
 * garbage collection finds no tick object, V8 drops the hidden class of these objects. Each call then takes five times as long,
 * until the process ends. A reference to one tick object keeps the hidden class.
 */
export function keepTicksFast(): void {
  if (kept !== null) return
  process.nextTick(() => {
    // The object that Node queued for this callback.
    kept = executionAsyncResource()
  })
}
