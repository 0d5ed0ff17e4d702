import type { Call, CallPlan } from '../call/call.js'
import { overItsTransports } from '../call/check-transport.js'
import { parsePromptArguments } from '../call/parse-arguments.js'
import { askPolicies, checkPromptArguments } from '../call/steps.js'
import type { PromptDefinition } from '../catalog/definitions.js'
import { type PromptMessage, type PromptResult, userMessage } from '../content.js'
import { UnfitResult } from '../errors/call-errors.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import type { Bindings } from './bind-handler.js'
import { checkContent, isContentBlock } from './content-block.js'
import { compileFeature } from './feature-plan.js'
import { textOfBytes, toPlain } from './plain-data.js'
import { toProtocolFailure } from './protocol-failure.js'

export interface PromptPlan extends CallPlan {
  readonly encode: (value: unknown) => PromptResult
}

export function compilePromptPlan(prompt: PromptDefinition, bindings: Bindings, timeoutMs: number): PromptPlan {
  const { name, input } = prompt
  const { handlerStep, ...feature } = compileFeature('prompt', name, prompt, bindings, timeoutMs)
  const hasPolicies = feature.guard !== null && feature.guard.policies !== null
  const rest = hasPolicies ? askPolicies('prompt', handlerStep) : handlerStep
  const run = input.parse === null ? checkPromptArguments(name, input, rest) : parsePromptArguments(name, input, rest)
  return Object.freeze({
    input,
    encode: (value: unknown) => toPromptResult(value, prompt.description),
    encodeError: (error: Error, call: Call) => {
      throw toProtocolFailure(error, call.plan.label, call)
    },
    run: feature.transports === null ? run : overItsTransports(run),
    ...feature,
  })
}

function toPromptResult(value: unknown, description: string | undefined): PromptResult {
  const data = value instanceof Uint8Array ? textOfBytes(value) : value
  const whole = typeof data === 'string' ? userMessage(data) : toPlain(data)
  if (isJsonObject(whole) && Array.isArray(whole['messages'])) {
    return toWhole(whole, whole['messages'].map(toMessage), description)
  }
  return { ...(description === undefined ? {} : { description }), messages: [whole].flat().map(toMessage) }
}

/** Copies only the members that the spec defines for a result. */
function toWhole(whole: JsonObject, messages: readonly PromptMessage[], fallback: string | undefined): PromptResult {
  const { description = fallback, _meta } = whole
  if (description !== undefined && typeof description !== 'string') {
    throw new UnfitResult('The description of the prompt is not a string')
  }
  if (_meta !== undefined && !isJsonObject(_meta)) throw new UnfitResult('The _meta of the prompt is not an object')
  return { ...(description === undefined ? {} : { description }), messages, ...(_meta === undefined ? {} : { _meta }) }
}

function toMessage(value: unknown, index: number): PromptMessage {
  const error = findError(value)
  if (error !== null) {
    throw new UnfitResult(`Message ${index} of the prompt ${error}. Write userMessage(…) or assistantMessage(…)`)
  }
  const message = value as PromptMessage
  checkContent(message.content)
  return message
}

function findError(value: unknown): string | null {
  if (!isJsonObject(value)) return 'is not an object'
  const { role, content } = value
  if (role !== 'user' && role !== 'assistant') return 'has a role that is neither user nor assistant'
  return isContentBlock(content) ? null : 'has a content that is not a content block'
}
