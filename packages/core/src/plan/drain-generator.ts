import { setImmediate as nextTurn } from 'node:timers/promises'
import type { McpContext } from '../context/mcp-context.js'
import type { ProgressUpdate } from '../context/progress.js'

type ProgressGenerator = AsyncGenerator<ProgressUpdate, unknown> | Generator<ProgressUpdate, unknown>

/** Whether a handler returned a generator, asynchronous or not. Nothing else has the three methods. */
export function isGenerator(value: unknown): value is ProgressGenerator {
  if (typeof value !== 'object' || value === null || !('next' in value)) return false
  const { next, return: end, throw: fail } = value as Partial<Record<string, unknown>>
  return typeof next === 'function' && typeof end === 'function' && typeof fail === 'function'
}

/** Milliseconds that a generator may run before everything else has its turn, cancellations and time limits included. */
const sliceMs = 10

/** Reports what a generator yields as progress, and answers what it returns. A cancelled call stops at its next yield. */
export async function drainGenerator(generator: ProgressGenerator, context: McpContext): Promise<unknown> {
  let sliceBegan = performance.now()
  while (true) {
    const { done, value } = await generator.next()
    if (done === true) return value
    context.progress(value)
    if (performance.now() - sliceBegan > sliceMs) {
      await nextTurn()
      sliceBegan = performance.now()
    }
    if (context.signal.aborted) {
      await generator.return(undefined)
      throw context.signal.reason
    }
  }
}
