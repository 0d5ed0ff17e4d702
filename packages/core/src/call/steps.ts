import { type CompiledSchema, describeErrors, type ValidationError } from '@toolwright/schema'
import { InvalidArguments } from '../errors/call-errors.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { CallLimiter, Permit } from '../limits/call-limiter.js'
import type { JsonObject } from '../rpc/messages.js'
import { isPromiseLike } from '../timing/with-timeout.js'
import type { Call, CallPlan, Step } from './call.js'
import { policiesAllow } from './check-access.js'
import { fromTexts } from './from-texts.js'
import { observeRejection } from './hook-run.js'
import { rejectUse } from './observe-forbidden.js'

// The steps of a plan. A plan contains only the steps that its feature needs.

export function askPolicies(kind: 'tool' | 'prompt', rest: Step): Step {
  return function askPoliciesStep(call) {
    ask(call, kind, call.args, rest)
  }
}

/** Evaluates the policies of a tool. Skips the policies if the arguments are invalid: a later step rejects such calls. */
export function askToolPolicies(input: CompiledSchema, rest: Step): Step {
  return function askToolPoliciesStep(call) {
    const complete = withDefaults(input, call.args)
    if (input.check(complete)) ask(call, 'tool', complete, rest)
    else rest(call)
  }
}

function ask(call: Call, kind: 'tool' | 'prompt', args: unknown, rest: Step): void {
  const { plan } = call
  policiesAllow(plan, { kind, name: call.featureName }, args, call).then(
    (isAllowed) =>
      isAllowed ? call.resume(rest) : call.fail(rejectUse(plan, args, call) ?? call.method.notFound(call)),
    (error: unknown) => call.fail(error),
  )
}

export function asTask(rest: Step): Step {
  return function asTaskStep(call) {
    const { startTask } = call.method
    if (startTask === null) rest(call)
    else startTask(call, rest)
  }
}

export function limited(limiter: CallLimiter, rest: Step): Step {
  return function limitedStep(call) {
    limiter.enter(call.caller).then(
      (permit) => call.resumeWith(permit, rest),
      (error: unknown) => call.fail(error),
    )
  }
}

/** Holds the permit of a call until its handler has ended, even if the call no longer waits for the handler. */
export function holdingPermit(handle: CallPlan['handle']): CallPlan['handle'] {
  return (call) => {
    const returned = handle(call)
    if (!isPromiseLike(returned)) return returned
    // Some thenables start their work at each call of `then`, so the permit and the call share one promise.
    const ended = Promise.resolve(returned)
    ;(call.permit as Permit).hold(ended)
    return ended
  }
}

export function checkToolArguments(name: string, input: CompiledSchema, rest: Step): Step {
  const { applyDefaults } = input
  return function checkToolArgumentsStep(call) {
    const args = applyDefaults === null ? call.args : applyDefaults(call.args)
    call.args = args
    if (input.check(args)) rest(call)
    else call.rejectArguments(describeInvalid(`tool '${name}'`, input.errors(args), call))
  }
}

export function checkPromptArguments(name: string, input: CompiledSchema, rest: Step): Step {
  return function checkPromptArgumentsStep(call) {
    const args = fromTexts(input, call.args as JsonObject)
    call.args = args
    if (input.check(args)) rest(call)
    else {
      const detail = describeInvalid(`prompt '${name}'`, input.errors(args), call)
      call.fail(new ProtocolError('invalidParams', 'Invalid params', { detail }))
    }
  }
}

export function describeInvalid(what: string, errors: readonly ValidationError[], call: Call): string {
  const { args, plan } = call
  const message = `Invalid arguments for ${what}: ${describeErrors(errors, args, 'the arguments')}.`
  if (plan.hooks !== null) observeRejection(plan.hooks, args, call, new InvalidArguments(message))
  return message
}

function withDefaults({ applyDefaults }: CompiledSchema, args: unknown): unknown {
  return applyDefaults === null ? args : applyDefaults(args)
}
