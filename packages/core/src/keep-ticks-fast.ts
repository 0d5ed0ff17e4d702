import { executionAsyncResource } from 'node:async_hooks'

/** Held as long as the process runs. */
let kept: object | null = null

/**
 * Keeps `process.nextTick`, which a request over HTTP takes half a dozen of, as fast as it is at first. When a collection of
 * garbage finds nothing queued there, V8 forgets the shape of what Node queues, and takes five times as long for each
 * from then on, until the process ends. One that is held keeps the shape.
 */
export function keepTicksFast(): void {
  if (kept !== null) return
  process.nextTick(() => {
    // What Node queued for this very callback.
    kept = executionAsyncResource()
  })
}
