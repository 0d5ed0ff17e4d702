import type { HookChain } from '../hooks/hook-chain.js'
import type { Handler } from '../plan/bind-handler.js'
import { type HandlerCall, type Outcome, runHandler } from './run-handler.js'
import { runHooked } from './run-hooked.js'

/** What plans of all kinds have. */
export interface RunnablePlan {
  readonly handler: Handler
  /** `null`: none. */
  readonly hooks: HookChain | null
  /** Milliseconds. */
  readonly timeoutMs: number
}

/**
 * Runs the handler of a plan, with the plan's hooks.
 *
 * @param uri The resource that is read; `null` for other features.
 * @returns A promise only where there is something to wait for.
 */
export function runPlan<Encoded, Result>(
  { handler, hooks, timeoutMs }: RunnablePlan,
  args: unknown,
  call: HandlerCall,
  outcome: Outcome<Encoded, Result>,
  uri: string | null = null,
): Result | Promise<Result> {
  if (hooks === null) return runHandler(handler, args, call, timeoutMs, outcome, null)
  return runHooked(hooks, handler, args, call, timeoutMs, outcome, uri)
}
