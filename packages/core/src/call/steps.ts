import { InvalidArguments } from '../errors/call-errors.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { CallLimiter, Permit } from '../limits/call-limiter.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { type CompiledSchema, fromTexts } from '../schema/compiled-schema.js'
import { describeErrors } from '../schema/describe-errors.js'
import { isPromiseLike } from '../timing/with-timeout.js'
import type { Call, CallPlan, Step } from './call.js'
import { policiesAllow } from './check-access.js'
import { observeRejection } from './hook-run.js'
import { refuseUse } from './observe-forbidden.js'

// The steps of a plan. Boot chains those that a feature has; a step that a feature does not need is not in its chain.

/** Asks the policies of a prompt, with its checked arguments. */
export function askPromptPolicies(next: Step): Step {
  return (call) => {
    ask(call, 'prompt', call.args, next)
  }
}

/** Asks the policies of a tool. Invalid arguments are rejected by a later step, so no policy sees them. */
export function askToolPolicies(input: CompiledSchema, next: Step): Step {
  return (call) => {
    const complete = withDefaults(input, call.args)
    if (input.check(complete)) ask(call, 'tool', complete, next)
    else next(call)
  }
}

function ask(call: Call, kind: 'tool' | 'prompt', args: unknown, next: Step): void {
  const { plan } = call
  policiesAllow(plan, { kind, name: call.featureName }, args, call).then(
    (isAllowed) => {
      if (isAllowed) call.resume(next)
      else call.fail(refuseUse(plan, args, call, call.uri) ?? call.method.notFound(call))
    },
    (error) => call.fail(error),
  )
}

/** Runs the rest of the plan as a task, where the client takes tasks. */
export function asTask(next: Step): Step {
  return (call) => {
    const { startTask } = call.method
    if (startTask === null) next(call)
    else startTask(call, next)
  }
}

/** Waits for the limiter of a tool. */
export function limited(limiter: CallLimiter, next: Step): Step {
  return (call) => {
    limiter.enter(call.caller).then(
      (permit) => {
        call.permit = permit
        call.resume(next)
      },
      (error) => call.fail(error),
    )
  }
}

/** Holds the permit of a call until its handler has ended, also when the call no longer waits for it. */
export function holdingPermit(handle: CallPlan['handle']): CallPlan['handle'] {
  return (call) => {
    const returned = handle(call)
    if (!isPromiseLike(returned)) return returned
    // Some promises only begin when `then` is called: once for both who wait.
    const ended = Promise.resolve(returned)
    ;(call.permit as Permit).hold(ended)
    return ended
  }
}

/** Fills in defaults and checks the arguments of a tool. */
export function checkToolArguments(name: string, input: CompiledSchema, next: Step): Step {
  const { applyDefaults } = input
  return (call) => {
    const args = applyDefaults === null ? call.args : applyDefaults(call.args)
    call.args = args
    if (input.check(args)) next(call)
    else call.rejectArguments(describeInvalid(`tool '${name}'`, input, args, call))
  }
}

/** Converts the strings that a client sent for a prompt, and checks them. */
export function checkPromptArguments(name: string, input: CompiledSchema, next: Step): Step {
  return (call) => {
    const args = fromTexts(input, call.args as JsonObject)
    call.args = args
    if (input.check(args)) next(call)
    else {
      const detail = describeInvalid(`prompt '${name}'`, input, args, call)
      call.fail(new ProtocolError('invalidParams', 'Invalid params', { detail }))
    }
  }
}

function describeInvalid(what: string, input: CompiledSchema, args: unknown, call: Call): string {
  const errors = describeErrors(input.errors(args), args, 'the arguments')
  const message = `Invalid arguments for ${what}: ${errors}.`
  const { hooks } = call.plan
  if (hooks !== null) observeRejection(hooks, args, call, new InvalidArguments(message))
  return message
}

function withDefaults({ applyDefaults }: CompiledSchema, args: unknown): unknown {
  return applyDefaults === null ? args : applyDefaults(args)
}

/** @throws ProtocolError -32602 */
export function readString(params: JsonObject, member: string): string {
  const value = params[member]
  if (typeof value === 'string') return value
  throw new ProtocolError('invalidParams', `Invalid params: "${member}" must be a string`)
}

/** @throws ProtocolError -32602 */
export function readObject(params: JsonObject, member: string): JsonObject {
  const value = params[member]
  if (isJsonObject(value)) return value
  throw notAnObject(member)
}

/** An empty object where there is none. @throws ProtocolError -32602 */
export function readOptionalObject(params: JsonObject, member: string): JsonObject {
  return params[member] === undefined ? {} : readObject(params, member)
}

/** A new object each time where none came: defaults are filled in in place. @throws ProtocolError -32602 */
export function readArguments({ arguments: args = {} }: JsonObject): JsonObject {
  if (isJsonObject(args)) return args
  throw notAnObject('arguments')
}

function notAnObject(member: string): ProtocolError {
  return new ProtocolError('invalidParams', `Invalid params: "${member}" must be an object`)
}
