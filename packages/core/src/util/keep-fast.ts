import { executionAsyncResource } from 'node:async_hooks'

/**
 * What served the latest call of a tool: one object of each kind, until the next call that makes one, or until a server
 * closes. Nobody reads it.
 *
 * When a collection of all garbage finds no object of some shape, V8 throws away what it has compiled for that shape. A
 * call that is answered at once is never there to be found, so the code of the whole request would go, that of Node and
 * of Fastify included. What is kept here keeps it, by way of the context of the call also that of the request and the
 * answer of its transport.
 */
export const latestCall: Record<'call' | 'hookRun' | 'aroundRun', object | null> = {
  call: null,
  hookRun: null,
  aroundRun: null,
}

/** When a server closes, so that little of it stays. The next call of another one is kept again. */
export function forgetLatestCall(): void {
  for (const kind of Object.keys(latestCall)) latestCall[kind as keyof typeof latestCall] = null
}

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
