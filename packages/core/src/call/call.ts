import { type AccessRule, isAdmitted } from '../authorization/access-rule.js'
import type { PolicyFunction } from '../authorization/policy.js'
import type { Cancellation, Settler } from '../context/cancellation.js'
import { clientRequesterOf, type McpContext, openClientRequests } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'
import type { CalledFeature } from '../hooks/feature-call.js'
import type { HookChain } from '../hooks/hook-chain.js'
import type { Permit } from '../limits/call-limiter.js'
import type { CompiledSchema } from '../schema/compiled-schema.js'
import { isPromiseLike } from '../timing/with-timeout.js'
import { endClientRequests, endFailedClientRequests, hasAsked } from './end-client-requests.js'
import type { HookRun } from './hook-run.js'

/** Who may use one feature, decided at boot as far as it can be. */
export interface Guard {
  /** The guarded feature, for the log. */
  readonly feature: GuardedFeature
  readonly rule: AccessRule
  /** Functions that decide on each call; `null` where there are none. */
  readonly policies: readonly PolicyFunction[] | null
}

export type GuardedFeature = Pick<CalledFeature, 'kind' | 'name'>

/** A plan, or the part of one that says who may use it. */
export interface GuardedPlan {
  /** `null`: every caller may use the feature; a completion, every caller who may use what it completes. */
  readonly guard: Guard | null
}

/** Whether a caller has the roles and scopes for a feature: to be asked before its arguments are read. */
export function mayUse({ guard }: GuardedPlan, principal: Principal | null): boolean {
  return guard === null || isAdmitted(guard, principal)
}

/** One step of a plan. It ends the call, or passes it to the next step. */
export type Step = (call: Call) => void

/** Everything that a call of one feature needs, decided at boot. */
export interface CallPlan {
  /** As the catalog has it: the name of a tool, the URI or template of a resource. */
  readonly name: string
  /** For the log: `Tool 'count'`. */
  readonly label: string
  /** `null`: every caller may use the feature. */
  readonly guard: Guard | null
  /** Schema of the arguments; `null`: there is nothing to check. */
  readonly input: CompiledSchema | null
  /** `null`: the feature has no hooks. */
  readonly hooks: HookChain | null
  /** Milliseconds; `Infinity` for no limit. */
  readonly timeoutMs: number
  /** Runs the handler. */
  readonly handle: (call: Call) => unknown
  /** Runs the handler within its `around` hooks; the same as `handle` where there are none. */
  readonly handleAround: (call: Call) => unknown
  /** Encodes the return value. An error thrown here fails the call. */
  readonly encode: (returned: unknown, call: Call) => unknown
  /** Encodes an error as a result. @throws the error that the client gets, where no result can carry it */
  readonly encodeError: (error: Error, call: Call) => unknown
  /** Runs the steps that the feature has, one after the other. */
  readonly run: Step
}

/** How a method of the protocol serves the calls of one kind of feature: made once for each revision. */
export interface FeatureMethod {
  /** The error for a feature that is not there, or is hidden from the caller. */
  notFound(call: Call): ProtocolError
  /** Runs the rest of the plan as a task; `null` in revisions without tasks. */
  readonly startTask: ((call: Call, next: Step) => void) | null
}

/** One request for a feature, from its first step to its end. Exactly one of `end` and `fail` ends it. */
export abstract class Call implements Settler<unknown, void> {
  abstract readonly context: McpContext
  abstract readonly cancellation: Cancellation
  /** Whether the client gets the text of unexpected errors: for development. */
  abstract readonly exposeErrors: boolean
  /** What limits tell callers apart by. */
  abstract readonly caller: string
  plan: CallPlan
  method: FeatureMethod
  /** Checked by the plan; until then as they came. */
  args: unknown = undefined
  /** The URI that is read, as the client sent it; `null` for other features. */
  uri: string | null = null
  /** What policies see as the name of the feature. */
  featureName = ''
  /** Held until the handler has ended; `null` without a limit on concurrent calls. */
  permit: Permit | null = null
  hookRun: HookRun | null = null

  constructor() {
    // Assigned by `start`, before any step runs.
    this.plan = null as never
    this.method = null as never
  }

  /** Called when the handler is about to run: nothing before it has rejected the request. */
  abstract started(): void
  /** Ends the call with an encoded result. Never throws. */
  abstract end(encoded: unknown): void
  /** Ends the call with an error. Never throws. */
  abstract fail(error: unknown): void
  /** Ends the call because its arguments do not fit their schema: as the revision has it. */
  abstract rejectArguments(message: string): void

  /** Runs a plan. */
  start(plan: CallPlan, method: FeatureMethod, args: unknown, featureName = plan.name): void {
    this.plan = plan
    this.method = method
    this.args = args
    this.featureName = featureName
    plan.run(this)
  }

  /** Goes on after something was awaited. */
  resume(next: Step): void {
    try {
      next(this)
    } catch (error) {
      this.fail(error)
    }
  }

  /** The promise of the handler has been fulfilled. */
  onFulfilled(returned: unknown): void {
    handlerReturned(this, returned)
  }

  /** The promise of the handler was rejected, or the call was stopped. */
  onRejected(thrown: unknown): void {
    handlerFailed(this, thrown)
  }
}

// The one border between sync and async. A handler that returns a value is answered without a promise: each promise on the
// way costs a call 6 to 7 % (benchmark row "one tool"). Everything behind it ends the call with `end` or `fail`.

/** Runs the handler of a call's plan, and waits for its promise where it returns one. */
export function runHandler(call: Call): void {
  const { plan } = call
  let returned: unknown
  let isPromise: boolean
  try {
    openClientRequests(call.context)
    call.started()
    returned = plan.handleAround(call)
    // A getter of `then` may throw, too.
    isPromise = isPromiseLike(returned)
  } catch (thrown) {
    handlerThrew(call, toError(thrown))
    return
  }
  if (isPromise) void call.cancellation.race(returned as PromiseLike<unknown>, plan.timeoutMs, call)
  else handlerReturned(call, returned)
}

/** A call that asked its client may be cancelled while its requests are collected, as if the handler had returned a promise. */
export function handlerThrew(call: Call, error: Error): void {
  if (hasAsked(error, call.context)) void call.cancellation.race(Promise.reject(error), call.plan.timeoutMs, call)
  else endWithError(call, error)
}

/** Goes on with the value that a handler returned or that its promise resolved to. */
function handlerReturned(call: Call, returned: unknown): void {
  if (clientRequesterOf(call.context) === null) {
    endWithValue(call, returned)
    return
  }
  endClientRequests(call).then(
    () => endWithValue(call, returned),
    (thrown) => handlerFailed(call, thrown),
  )
}

/** Goes on with the error of a handler or hook. */
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
  observeEnd(call, () => call.end(encoded))
}

function endWithError(call: Call, error: Error): void {
  call.hookRun?.failed(error)
  let encoded: unknown
  try {
    // Before the hooks run: by then the client may have left, and with it the reason to report.
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
