import type { CompiledSchema } from '@toolwright/schema'
import { type AccessRule, isAdmitted } from '../authorization/access-rule.js'
import type { PolicyFunction } from '../authorization/policy.js'
import { type RepeatableRound, StoredResponse } from '../client-requests/client-request.js'
import type { Cancellation, OutcomeHandler } from '../context/cancellation.js'
import { clientRequesterOf, type McpContext, openClientRequests } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'
import type { CalledFeature } from '../hooks/feature-call.js'
import type { HookChain } from '../hooks/hook-chain.js'
import type { Permit } from '../limits/call-limiter.js'
import { isPromiseLike } from '../timing/with-timeout.js'
import type { TransportLimit } from './check-transport.js'
import { endClientRequests, endFailedClientRequests, hasAsked } from './end-client-requests.js'
import type { HookRun } from './hook-run.js'

export interface Guard {
  readonly feature: GuardedFeature
  readonly rule: AccessRule
  readonly policies: readonly PolicyFunction[] | null
}

export type GuardedFeature = Pick<CalledFeature, 'kind' | 'name'>

export interface GuardedPlan {
  /** `null`: every caller is allowed to use the feature. Completions also require access to their prompt or template. */
  readonly guard: Guard | null
  readonly transports: TransportLimit | null
}

export function mayUse({ guard }: Pick<GuardedPlan, 'guard'>, principal: Principal | null): boolean {
  return guard === null || isAdmitted(guard, principal)
}

export type Step = (call: Call) => void

export interface CallPlan {
  /** Name in the catalog: the name of a tool or prompt, the URI or template of a resource. */
  readonly name: string
  /** Label for log lines and messages: `Tool 'count'`. */
  readonly label: string
  readonly guard: Guard | null
  readonly isConditional: boolean
  readonly transports: TransportLimit | null
  readonly input: CompiledSchema | null
  readonly hooks: HookChain | null
  /** Time limit in milliseconds; `Infinity`: no limit. */
  readonly timeoutMs: number
  readonly handle: (call: Call) => unknown
  readonly handleAround: (call: Call) => unknown
  readonly encode: (returned: unknown, call: Call) => unknown
  readonly encodeError: (error: Error, call: Call) => unknown
  readonly run: Step
}

export interface FeatureMethod {
  notFound(call: Call): ProtocolError
  readonly startTask: ((call: Call, next: Step) => void) | null
}

function notStarted(): never {
  throw new Error('A call was run before its feature was found.')
}

const unplanned: CallPlan & FeatureMethod = {
  name: '',
  label: '',
  guard: null,
  isConditional: false,
  transports: null,
  input: null,
  hooks: null,
  timeoutMs: Infinity,
  handle: notStarted,
  handleAround: notStarted,
  encode: notStarted,
  encodeError: notStarted,
  run: notStarted,
  notFound: notStarted,
  startTask: null,
}

/**
 * One call of a feature, from its first step to its end. The code that runs the call must call either `end` or `fail`, exactly
 * once.
 */
export abstract class Call implements OutcomeHandler<unknown, void> {
  abstract readonly context: McpContext
  abstract readonly cancellation: Cancellation
  abstract readonly exposeErrors: boolean
  abstract readonly caller: string
  plan: CallPlan = unplanned
  method: FeatureMethod = unplanned
  /** Arguments of the call: validated by a step of the plan, raw before that. */
  args: unknown = undefined
  uri: string | null = null
  featureName = ''
  permit: Permit | null = null
  hookRun: HookRun | null = null
  /** Time that an asynchronous schema took for the arguments. Counts toward the time limit. */
  parsingMs = 0

  abstract started(): void
  abstract end(encoded: unknown): void
  abstract respond(json: string): void
  abstract fail(error: unknown): void
  abstract rejectArguments(message: string): void

  start(plan: CallPlan, method: FeatureMethod, args: unknown, featureName = plan.name): void {
    this.plan = plan
    this.method = method
    this.args = args
    this.featureName = featureName
    plan.run(this)
  }

  resumeWith(permit: Permit, next: Step): void {
    this.permit = permit
    this.resume(next)
  }

  resume(next: Step): void {
    try {
      next(this)
    } catch (error) {
      this.fail(error)
    }
  }

  onFulfilled(returned: unknown): void {
    handlerReturned(this, returned)
  }

  onRejected(thrown: unknown): void {
    handlerFailed(this, thrown)
  }
}

// `runHandler` is the only transition between sync and async code. If a handler returns a plain value, its call creates no
// promise: each promise slows a call down by 6 to 7 % (benchmark row "one tool"). All later steps end the call with `end` or
// `fail`.

export function runHandler(call: Call): void {
  const { plan } = call
  let returned: unknown
  let isPromise: boolean
  try {
    const round = openClientRequests(call.context)
    if (round !== null) {
      void call.cancellation.race(runRound(call, round), timeLeft(call), call)
      return
    }
    call.started()
    returned = plan.handleAround(call)
    // Checked inside the `try`, because a getter of `then` can throw.
    isPromise = isPromiseLike(returned)
  } catch (thrown) {
    handlerThrew(call, toError(thrown))
    return
  }
  if (isPromise) void call.cancellation.race(returned as PromiseLike<unknown>, timeLeft(call), call)
  else handlerReturned(call, returned)
}

function timeLeft({ plan, parsingMs }: Call): number {
  return parsingMs === 0 ? plan.timeoutMs : Math.max(1, plan.timeoutMs - parsingMs)
}

/**
 * Runs the handler in a round that the client can repeat. If another run of this round is in progress, waits for its end.
 *
 * @returns The handler's value, or the stored response of an earlier run.
 */
async function runRound(call: Call, round: RepeatableRound): Promise<unknown> {
  if (!round.isEntered) await round.enter()
  if (round.response !== null) return round.response
  const { reason } = call.cancellation
  if (reason !== null) throw reason
  call.started()
  round.handlerBegan()
  try {
    return await call.plan.handleAround(call)
  } finally {
    round.handlerEnded()
  }
}

/**
 * Ends the call with an error that was thrown synchronously. If client requests could be in progress, the call first waits for
 * these requests, and can be cancelled during the wait.
 */
function handlerThrew(call: Call, error: Error): void {
  if (hasAsked(error, call.context)) void call.cancellation.race(Promise.reject(error), call.plan.timeoutMs, call)
  else endWithError(call, error)
}

function handlerReturned(call: Call, returned: unknown): void {
  if (clientRequesterOf(call.context) === null) {
    endWithValue(call, returned)
    return
  }
  if (returned instanceof StoredResponse) {
    const { json, asksClient } = returned
    call.hookRun?.repeated(asksClient)
    observeEnd(call, () => call.respond(json))
    return
  }
  endClientRequests(call).then(
    () => endWithValue(call, returned),
    (thrown) => handlerFailed(call, thrown),
  )
}

export function handlerFailed(call: Call, thrown: unknown): void {
  const error = toError(thrown)
  if (hasAsked(error, call.context))
    void endFailedClientRequests(error, call).then((ended) => endWithError(call, ended))
  else endWithError(call, error)
}

function endWithValue(call: Call, returned: unknown): void {
  let encoded: unknown
  try {
    encoded = call.plan.encode(returned, call)
    call.hookRun?.returned(returned, encoded)
  } catch (thrown) {
    handlerThrew(call, toError(thrown))
    return
  }
  if (call.hookRun === null) call.end(encoded)
  else observeEnd(call, () => call.end(encoded))
}

function endWithError(call: Call, error: Error): void {
  call.hookRun?.failed(error)
  let encoded: unknown
  try {
    // The error is encoded before the hooks run. Otherwise, a disconnect of the client during the hooks would hide the actual
    // reason.
    encoded = call.plan.encodeError(error, call)
  } catch (thrown) {
    observeEnd(call, () => call.fail(thrown))
    return
  }
  observeEnd(call, () => call.end(encoded))
}

function observeEnd({ hookRun }: Call, end: () => void): void {
  const observing = hookRun === null ? null : hookRun.observe()
  if (observing === null) end()
  else void observing.then(end)
}
