import type { CompiledSchema } from '@toolwright/schema'
import { shorten } from '@toolwright/schema'
import type { Call, CallPlan } from '../call/call.js'
import { overItsTransports } from '../call/check-transport.js'
import { parseToolArguments } from '../call/parse-arguments.js'
import { reportFailure, reportTimeout } from '../call/report-failure.js'
import { askPolicies, askToolPolicies, asTask, checkToolArguments, limited } from '../call/steps.js'
import type { HeaderParameter } from '../catalog/define/header-parameters.js'
import type { ToolDefinition } from '../catalog/definitions.js'
import { InputRequired } from '../client-requests/input-required.js'
import { CallCancelled, CallTimeout } from '../context/cancellation.js'
import { ToolError } from '../errors/call-errors.js'
import { MissingCapabilityError } from '../errors/client-request-errors.js'
import { tryLog } from '../errors/log-failure.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { CallLimiter } from '../limits/call-limiter.js'
import { OversizedResult } from '../limits/counter.js'
import type { Bindings } from './bind-handler.js'
import { compileFeature, type FeaturePlan } from './feature-plan.js'
import { parsingResult } from './parse-result.js'
import { chooseEncoder, errorResult, markUntrusted, type ToolResult } from './tool-result.js'

export interface ToolPlan extends CallPlan {
  readonly output: CompiledSchema | null
  readonly encode: (returned: unknown) => ToolResult
  readonly encodeError: (error: Error, call: Call) => ToolResult
  readonly headerParameters: readonly HeaderParameter[]
  /** Maximum size of one result in bytes. Default: the limit of the server. */
  readonly maxResultBytes: number
  /** Whether calls can or must become tasks; `null`: calls never become tasks. */
  readonly task: 'optional' | 'required' | null
  readonly startsTask: boolean
}

export function compileToolPlan(tool: ToolDefinition, bindings: Bindings, callTimeoutMs: number): ToolPlan {
  const { name, input, output, untrusted, task, maxResultBytes } = tool
  const limiter = createCallLimiter(tool, bindings)
  const timeoutMs = tool.timeoutMs ?? callTimeoutMs
  const compiled = compileFeature('tool', name, tool, bindings, timeoutMs, maxResultBytes, limiter)
  const { handlerStep, ...feature } = output?.parse ? withParsedResult(compiled, output) : compiled
  const hasPolicies = feature.guard !== null && feature.guard.policies !== null
  const parses = input.parse !== null
  const checked = hasPolicies && parses ? askPolicies('tool', handlerStep) : handlerStep
  let run = parses ? parseToolArguments(name, input, checked) : checkToolArguments(name, input, checked)
  if (limiter !== null) run = limited(limiter, run)
  if (task !== null) run = asTask(run)
  // Policies get parsed arguments, and parsing comes after the limits, because it can be asynchronous. A mere check is quick enough
  // to repeat, and then policies come before the limits and the task.
  if (hasPolicies && !parses) run = askToolPolicies(input, run)
  if (feature.transports !== null) run = overItsTransports(run)
  return Object.freeze({
    input,
    output,
    encode: chooseEncoder({ ...tool, onAmbiguous: warnOnce(name, bindings) }),
    encodeError: (error: Error, call: Call) => encodeError(error, call, untrusted),
    headerParameters: tool.headerParameters,
    maxResultBytes: maxResultBytes ?? bindings.maxResultBytes,
    task,
    startsTask: tool.startsTask,
    run,
    ...feature,
  })
}

function withParsedResult(feature: FeaturePlan, output: CompiledSchema): FeaturePlan {
  return { ...feature, handleAround: parsingResult(output, feature.handleAround) }
}

function encodeError(error: Error, call: Call, untrusted: boolean): ToolResult {
  if (error instanceof ToolError) {
    const rejected = errorResult(error.message)
    return untrusted ? markUntrusted(rejected) : rejected
  }
  if (error instanceof MissingCapabilityError && !error.hasCode) return errorResult(error.message)
  if (error instanceof OversizedResult) return errorResult(`${error.message}.`)
  if (error instanceof ProtocolError || error instanceof InputRequired) throw error
  const { reason } = call.cancellation
  const { label, timeoutMs } = call.plan
  if (reason instanceof CallCancelled) throw reason
  // If the handler throws when the signal aborts, its error arrives before the error of the timer. The call has timed out in both
  // cases.
  if (reason instanceof CallTimeout) return errorResult(reportTimeout(label, timeoutMs, call))
  return errorResult(reportFailure(error, label, call))
}

function warnOnce(name: string, { log }: Bindings): (unknownMembers: readonly string[]) => void {
  let isLogged = false
  return (unknownMembers) => {
    if (isLogged) return
    isLogged = true
    const members = unknownMembers.slice(0, 5).map((member) => shorten(JSON.stringify(member), 50))
    const message =
      `Tool '${name}' returned an object with content and ${members.join(', ')}. The object is sent as data. ` +
      'Write return result({ … }) for a complete result, or give the tool an output schema'
    tryLog(() => log.warn(message))
  }
}

function createCallLimiter({ name, maxConcurrent, rateLimit }: ToolDefinition, bindings: Bindings): CallLimiter | null {
  if (maxConcurrent === Infinity && rateLimit === null) return null
  const { rateLimiter: limiter, limitedRequests: counter, log } = bindings
  const ratePerCaller = rateLimit?.per === 'caller'
  const limits = { rateLimit, ratePerCaller, maxConcurrent, concurrentPerCaller: false }
  return new CallLimiter({ what: `Tool '${name}'`, ...limits, limiter, counter, log })
}
