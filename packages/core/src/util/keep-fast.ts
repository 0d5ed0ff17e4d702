import { executionAsyncResource } from 'node:async_hooks'

/**
 * References to objects of the latest tool call, which are never read. The next call replaces the references. When a server
 * closes, the references are released.
 *
 * When a full garbage collection finds no object of a shape (hidden class), V8 drops the code optimized for this shape. Short
 * calls leave no such objects behind, so V8 would drop the code of the whole request, including code of Node and Fastify. These
 * references keep the shapes alive. The context of the call also refers to the request and response, and keeps their shapes
 * alive.
 */
export const latestCall: Record<'call' | 'hookRun' | 'aroundRun', object | null> = {
  call: null,
  hookRun: null,
  aroundRun: null,
}

/** Releases the latest call when a server closes, so that the server can be collected. */
export function releaseLatestCall(): void {
  Object.assign(latestCall, { call: null, hookRun: null, aroundRun: null })
}

/** The tick object that {@link keepTicksFast} stores until the process ends. */
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
