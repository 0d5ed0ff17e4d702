import type { HookChain } from '../hooks/hook-chain.js'
import { type HandlerCall, type LimitedHandler, type Outcome, runHandler } from './run-handler.js'
import { runHooked } from './run-hooked.js'

/** What plans of all kinds have. */
export interface RunnablePlan extends LimitedHandler {
  /** `null`: none. */
  readonly hooks: HookChain | null
}

/**
 * Runs the handler of a plan, with the plan's hooks.
 *
 * @param uri The resource that is read; `null` for other features.
 * @returns A promise only where there is something to wait for.
 */
export function runPlan<Encoded, Result>(
  plan: RunnablePlan,
  args: unknown,
  call: HandlerCall,
  outcome: Outcome<Encoded, Result>,
  uri: string | null = null,
): Result | Promise<Result> {
  const { hooks } = plan
  if (hooks === null) return runHandler(plan, args, call, outcome, null)
  return runHooked(plan, hooks, args, call, outcome, uri)
}
