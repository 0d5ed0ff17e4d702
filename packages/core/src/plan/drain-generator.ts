import type { McpContext } from '../context/mcp-context.js'
import type { ProgressUpdate } from '../context/progress.js'

type ProgressGenerator = AsyncGenerator<ProgressUpdate, unknown> | Generator<ProgressUpdate, unknown>

/** Whether a handler returned a generator, asynchronous or not. Nothing else has the three methods. */
export function isGenerator(value: unknown): value is ProgressGenerator {
  return typeof value === 'object' && value !== null && 'next' in value && 'return' in value && 'throw' in value
}

/** Reports what a generator yields as progress, and answers what it returns. A cancelled call stops at its next yield. */
export async function drainGenerator(generator: ProgressGenerator, context: McpContext): Promise<unknown> {
  while (true) {
    const { done, value } = await generator.next()
    if (done === true) return value
    if (context.signal.aborted) {
      await generator.return(undefined)
      throw context.signal.reason
    }
    context.progress(value)
  }
}
