import { type CompiledSchema, describeErrors, type Parsed, parseValue } from '@toolwright/schema'
import type { CallPlan } from '../call/call.js'
import { CallResult } from '../content.js'
import { UnfitResult } from '../errors/call-errors.js'
import type { MaybePromise } from '../timing/maybe-promise.js'
import { isPromiseLike } from '../timing/with-timeout.js'

/** Parses the value of a handler and its `around` hooks by the output schema: members that the schema strips are not sent. */
export function parsingResult(output: CompiledSchema, handle: CallPlan['handle']): CallPlan['handle'] {
  const parse = (returned: unknown): unknown => parseReturned(returned, output)
  return (call) => {
    const returned = handle(call)
    return isPromiseLike(returned) ? Promise.resolve(returned).then(parse) : parse(returned)
  }
}

function parseReturned(returned: unknown, output: CompiledSchema): unknown {
  if (!(returned instanceof CallResult)) return parseData(returned, output)
  const { init } = returned
  // The encoder reports a missing `structuredContent`.
  if (init.isError === true || init.structuredContent === undefined) return returned
  const parsed = parseData(init.structuredContent, output)
  const wrap = (structuredContent: unknown) => new CallResult({ ...init, structuredContent })
  return isPromiseLike(parsed) ? parsed.then(wrap) : wrap(parsed)
}

/** @throws UnfitResult, or the error of a function of the schema */
function parseData(data: unknown, output: CompiledSchema): MaybePromise<unknown> {
  const parsed = parseValue(output, data)
  const take = (outcome: Parsed): unknown => takeParsed(outcome, data)
  return isPromiseLike(parsed) ? parsed.then(take) : take(parsed)
}

function takeParsed(parsed: Parsed, data: unknown): unknown {
  if (parsed.errors === undefined) return parsed.value
  const errors = describeErrors(parsed.errors, data, 'the result')
  throw new UnfitResult(`The result does not fit the output schema: ${errors}`)
}
