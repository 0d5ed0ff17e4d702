import type { McpContext } from '../context/mcp-context.js'
import { logFailure } from '../errors/log-failure.js'
import { toError } from '../errors/to-error.js'
import { isPromiseLike, withTimeout } from '../timing/with-timeout.js'
import type { HookStep } from './hook-chain.js'

/**
 * Runs the hooks that observe the end of a call, in order. Each is awaited before the next starts, until the timeout for
 * all of them. Then the others start without waiting, so that the total delay of the answer stays limited.
 *
 * @returns `null` when there is nothing to await. Errors are logged: never throws, never rejects.
 */
export function runObservers<Run>(
  steps: readonly HookStep<Run>[],
  start: (run: Run) => unknown,
  timeoutMs: number,
  context: McpContext,
): Promise<void> | null {
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as HookStep<Run>
    const returned = begin(step, start, context)
    if (returned === null) continue
    const deadline = performance.now() + timeoutMs
    const rest = steps.slice(index + 1)
    return end(returned, step.name, timeoutMs, context).then(
      () => runObservers(rest, start, deadline - performance.now(), context) ?? undefined,
    )
  }
  return null
}

function begin<Run>({ name, run }: HookStep<Run>, start: (run: Run) => unknown, context: McpContext) {
  try {
    const returned = start(run)
    return isPromiseLike(returned) ? returned : null
  } catch (thrown) {
    report(name, thrown, context)
    return null
  }
}

async function end(returned: PromiseLike<unknown>, name: string, leftMs: number, context: McpContext): Promise<void> {
  try {
    await withTimeout(returned, leftMs)
  } catch (thrown) {
    report(name, thrown, context)
  }
}

function report(hook: string, thrown: unknown, context: McpContext): void {
  logFailure(context.log, toError(thrown), { hook }, 'a hook failed after its call')
}
