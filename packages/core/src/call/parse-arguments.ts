import { performance } from 'node:perf_hooks'
import { type CompiledSchema, type Parsed, parseValue, type ValidationError } from '@toolwright/schema'
import type { OutcomeHandler } from '../context/cancellation.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'
import type { JsonObject } from '../rpc/messages.js'
import { isPromiseLike } from '../timing/with-timeout.js'
import { type Call, handlerFailed, type Step } from './call.js'
import { fromTexts } from './from-texts.js'
import { observeRejection } from './hook-run.js'
import { describeInvalid } from './steps.js'

// The steps for schemas that transform values. A call parses its arguments once: all later steps see the parsed arguments.

export function parseToolArguments(name: string, input: CompiledSchema, rest: Step): Step {
  return parseArguments(input, rest, (call, errors) =>
    call.rejectArguments(describeInvalid(`tool '${name}'`, errors, call)),
  )
}

export function parsePromptArguments(name: string, input: CompiledSchema, rest: Step): Step {
  const parse = parseArguments(input, rest, (call, errors) => {
    const detail = describeInvalid(`prompt '${name}'`, errors, call)
    call.fail(new ProtocolError('invalidParams', 'Invalid params', { detail }))
  })
  return (call) => {
    call.args = fromTexts(input, call.args as JsonObject)
    parse(call)
  }
}

type Reject = (call: Call, errors: readonly ValidationError[]) => void

function parseArguments(input: CompiledSchema, rest: Step, reject: Reject): Step {
  return (call) => {
    let parsing: Parsed | Promise<Parsed>
    try {
      parsing = parseValue(input, call.args)
    } catch (thrown) {
      parsingFailed(call, thrown)
      return
    }
    if (isPromiseLike(parsing)) new AsyncParsing(call, rest, reject).start(parsing)
    else finish(parsing, call, rest, reject)
  }
}

class AsyncParsing implements OutcomeHandler<Parsed, void> {
  readonly #began = performance.now()

  constructor(
    private readonly call: Call,
    private readonly rest: Step,
    private readonly reject: Reject,
  ) {}

  start(parsing: Promise<Parsed>): void {
    const { call } = this
    call.permit?.hold(parsing)
    void call.cancellation.race(parsing, call.plan.timeoutMs, this)
  }

  onFulfilled(parsed: Parsed): void {
    const { call, rest, reject } = this
    call.parsingMs = performance.now() - this.#began
    call.resume(() => finish(parsed, call, rest, reject))
  }

  onRejected(thrown: unknown): void {
    parsingFailed(this.call, thrown)
  }
}

function finish(parsed: Parsed, call: Call, rest: Step, reject: Reject): void {
  if (parsed.errors !== undefined) {
    reject(call, parsed.errors)
    return
  }
  call.args = parsed.value
  rest(call)
}

function parsingFailed(call: Call, thrown: unknown): void {
  const { hooks } = call.plan
  if (hooks !== null) observeRejection(hooks, call.args, call, toError(thrown))
  handlerFailed(call, thrown)
}
