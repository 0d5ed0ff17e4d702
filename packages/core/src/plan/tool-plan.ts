import type { ToolDefinition } from '../catalog/definitions.js'
import { tryLog } from '../errors/log-failure.js'
import { shorten } from '../errors/protocol-error.js'
import { CallLimiter, type Permit } from '../limits/call-limiter.js'
import type { CompiledSchema } from '../schema/compiled-schema.js'
import { isPromiseLike } from '../timing/with-timeout.js'
import type { Bindings, Handler } from './bind-handler.js'
import { compileFeature, type FeaturePlan } from './feature-plan.js'
import { chooseEncoder, type ResultEncoder } from './tool-result.js'

/** Everything `tools/call` needs for one tool, decided at boot. Empty steps are `null`. */
export interface ToolPlan extends FeaturePlan {
  readonly name: string
  readonly input: CompiledSchema
  /** `null`: results are not checked. */
  readonly output: CompiledSchema | null
  readonly encode: ResultEncoder
  /** `null`: as many as the server allows. */
  readonly maxResultBytes: number | null
  /** Its errors, too, may hold what others wrote. */
  readonly untrusted: boolean
  /** `null`: calls never become tasks. */
  readonly task: 'optional' | 'required' | null
  /** The handler says itself from where on it is a task. */
  readonly startsTask: boolean
  /** `null`: called as often, and as many at once, as anybody likes. */
  readonly limiter: CallLimiter | null
}

export function compileToolPlan(tool: ToolDefinition, bindings: Bindings, callTimeoutMs: number): ToolPlan {
  return Object.freeze({
    name: tool.name,
    ...compileFeature('tool', tool.name, tool, bindings, tool.timeoutMs ?? callTimeoutMs, tool.maxResultBytes),
    input: tool.input,
    output: tool.output,
    encode: chooseEncoder({ ...tool, onAmbiguous: warnOnce(tool.name, bindings) }),
    maxResultBytes: tool.maxResultBytes ?? null,
    untrusted: tool.untrusted,
    task: tool.task,
    startsTask: tool.startsTask,
    limiter: createCallLimiter(tool, bindings),
  })
}

/** Logs the first result that is taken for data though it looks like a whole result. */
function warnOnce(name: string, { log }: Bindings): (strangers: readonly string[]) => void {
  let isLogged = false
  return (strangers) => {
    if (isLogged) return
    isLogged = true
    const members = strangers.slice(0, 5).map((member) => shorten(JSON.stringify(member), 50))
    const message =
      `Tool '${name}' returned an object with content and ${members.join(', ')}, which is sent as data. ` +
      'Write return result({ … }) for a whole result, or give the tool an output schema'
    tryLog(() => log.warn(message))
  }
}

function createCallLimiter({ name, maxConcurrent, rateLimit }: ToolDefinition, bindings: Bindings): CallLimiter | null {
  if (maxConcurrent === Infinity && rateLimit === null) return null
  const { rateLimiter: limiter, limitedRequests: counter, log } = bindings
  const ratePerCaller = rateLimit?.per === 'caller'
  return new CallLimiter({
    what: `Tool '${name}'`,
    limiter,
    rateLimit,
    ratePerCaller,
    maxConcurrent,
    concurrentPerCaller: false,
    counter,
    log,
  })
}

/** The same plan for one call through its gate. The slot is held until the handler has ended, whoever waits for it. */
export function holdPermit(plan: ToolPlan, permit: Permit): ToolPlan {
  const handler: Handler = (args, context) => {
    const returned = plan.handler(args, context)
    if (!isPromiseLike(returned)) return returned
    // Some only begin when their `then` is called: once for both who wait.
    const ended = Promise.resolve(returned)
    permit.hold(ended)
    return ended
  }
  return { ...plan, handler }
}
