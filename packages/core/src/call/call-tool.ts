import { InputRequired } from '../client-requests/input-required.js'
import { CallCancelled, CallTimeout } from '../context/cancellation.js'
import type { Principal } from '../context/principal.js'
import { InvalidArguments, ToolError } from '../errors/call-errors.js'
import { MissingCapabilityError } from '../errors/client-request-errors.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { OversizedResult } from '../limits/oversized-result.js'
import type { ToolPlan } from '../plan/tool-plan.js'
import { errorResult, markUntrusted, type ToolResult } from '../plan/tool-result.js'
import type { JsonObject } from '../rpc/messages.js'
import { describeErrors } from '../schema/describe-errors.js'
import { latestCall } from '../util/keep-fast.js'
import { mayUse, policiesAllow, visibleKeys } from './check-access.js'
import { observeRefusal } from './hook-run.js'
import { refuseUse } from './observe-forbidden.js'
import { readString } from './read-params.js'
import { reportFailure, reportTimeout } from './report-failure.js'
import type { Outcome } from './run-handler.js'
import { runPlan } from './run-plan.js'
import type { RunningCall } from './running-call.js'
import { unknownFeature } from './unknown-feature.js'

/**
 * Runs one `tools/call`. Every decision that could be made earlier is in the plan.
 *
 * @throws ProtocolError for an unknown tool or a malformed request, InvalidArguments, CallCancelled, InputRequired.
 * Whatever the tool itself does wrong comes back as a result.
 */
export function callTool<Result>(
  plan: ToolPlan,
  args: unknown,
  call: RunningCall,
  finish: FinishTool<Result>,
): Result | Promise<Result> {
  const complete = withDefaults(plan, args)
  if (!plan.input.check(complete)) throw refuseArguments(plan, complete, call)
  return runPlan(plan, complete, call, new ToolOutcome(plan, call, finish))
}

function withDefaults({ input: { applyDefaults } }: ToolPlan, args: unknown): unknown {
  return applyDefaults === null ? args : applyDefaults(args)
}

/** Writes a tool's result as its caller wants it. */
export type FinishTool<Result> = (result: ToolResult, plan: ToolPlan) => Result

class ToolOutcome<Result> implements Outcome<ToolResult, Result> {
  constructor(
    private readonly plan: ToolPlan,
    private readonly call: RunningCall,
    private readonly finishTool: FinishTool<Result>,
  ) {
    latestCall.toolOutcome = this
  }

  encode(returned: unknown): ToolResult {
    return this.plan.encode(returned)
  }

  describe(error: Error): ToolResult {
    return toResult(error, this.plan, this.call)
  }

  finish(result: ToolResult): Result {
    return this.finishTool(result, this.plan)
  }
}

function refuseArguments({ name, input, hooks }: ToolPlan, args: unknown, call: RunningCall): InvalidArguments {
  const errors = describeErrors(input.errors(args), args, 'the arguments')
  const error = new InvalidArguments(`Invalid arguments for tool '${name}': ${errors}.`)
  if (hooks !== null) observeRefusal(hooks, args, call, error)
  return error
}

/**
 * The tool that is called, if the caller has the roles and scopes for it.
 *
 * @throws ProtocolError when there is no such tool, or the request is no tool call at all; AuthenticationError,
 * ForbiddenError.
 */
export function findTool(tools: ReadonlyMap<string, ToolPlan>, params: JsonObject, call: RunningCall): ToolPlan {
  const { principal } = call.context
  const name = readString(params, 'name')
  const plan = tools.get(name)
  if (plan !== undefined && mayUse(plan, principal)) return plan
  throw refuseUse(plan, params['arguments'], call) ?? unknownTool(name, tools, principal)
}

/** Asks the policies of a tool. Bad arguments are nothing to ask about: they are refused by {@link callTool}. */
export async function authorizeTool(
  tools: ReadonlyMap<string, ToolPlan>,
  plan: ToolPlan,
  args: unknown,
  call: RunningCall,
): Promise<void> {
  const { name, input } = plan
  const complete = withDefaults(plan, args)
  if (!input.check(complete)) return
  if (await policiesAllow(plan, { kind: 'tool', name }, complete, call)) return
  throw refuseUse(plan, complete, call) ?? unknownTool(name, tools, call.context.principal)
}

function unknownTool(name: string, tools: ReadonlyMap<string, ToolPlan>, principal: Principal | null): ProtocolError {
  return unknownFeature('tool', name, visibleKeys(tools, principal))
}

function toResult(error: Error, { name, timeoutMs, untrusted }: ToolPlan, call: RunningCall): ToolResult {
  if (error instanceof ToolError) {
    const refused = errorResult(error.message)
    return untrusted ? markUntrusted(refused) : refused
  }
  if (error instanceof MissingCapabilityError && !error.hasCode) return errorResult(error.message)
  if (error instanceof OversizedResult) return errorResult(`${error.message}.`)
  if (error instanceof ProtocolError || error instanceof InputRequired) throw error
  const { reason } = call.cancellation
  if (reason instanceof CallCancelled) throw reason
  // The handler may have noticed the abort before the timer's own rejection arrived.
  if (reason instanceof CallTimeout) return errorResult(reportTimeout(`Tool '${name}'`, timeoutMs, call))
  return errorResult(reportFailure(error, `Tool '${name}'`, call))
}
