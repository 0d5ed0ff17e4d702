import type { PromptDefinition } from '../catalog/definitions.js'
import { type PromptMessage, type PromptResult, userMessage } from '../content.js'
import { UnfitResult } from '../errors/call-errors.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import type { CompiledSchema } from '../schema/compiled-schema.js'
import type { Bindings } from './bind-handler.js'
import { checkContent, isContentBlock } from './content-block.js'
import { compileFeature, type FeaturePlan } from './feature-plan.js'
import { toPlain } from './plain-data.js'
import { textOfBytes } from './text-of-bytes.js'

/** Everything `prompts/get` needs for one prompt, decided at boot. */
export interface PromptPlan extends FeaturePlan {
  readonly name: string
  readonly input: CompiledSchema
  readonly encode: (value: unknown) => PromptResult
}

export function compilePromptPlan(prompt: PromptDefinition, bindings: Bindings, timeoutMs: number): PromptPlan {
  return Object.freeze({
    name: prompt.name,
    ...compileFeature('prompt', prompt.name, prompt, bindings, timeoutMs),
    input: prompt.input,
    encode: (value: unknown) => toPromptResult(value, prompt.description),
  })
}

function toPromptResult(value: unknown, description: string | undefined): PromptResult {
  const said = value instanceof Uint8Array ? textOfBytes(value) : value
  const whole = typeof said === 'string' ? userMessage(said) : toPlain(said)
  if (isJsonObject(whole) && Array.isArray(whole['messages'])) {
    return toWhole(whole, whole['messages'].map(toMessage), description)
  }
  return { ...(description === undefined ? {} : { description }), messages: [whole].flat().map(toMessage) }
}

/** What clients know of a result, and nothing else. */
function toWhole(whole: JsonObject, messages: readonly PromptMessage[], usual: string | undefined): PromptResult {
  const { description = usual, _meta } = whole
  if (description !== undefined && typeof description !== 'string') {
    throw new UnfitResult('The description of the prompt is not a string')
  }
  if (_meta !== undefined && !isJsonObject(_meta)) throw new UnfitResult('The _meta of the prompt is not an object')
  return { ...(description === undefined ? {} : { description }), messages, ...(_meta === undefined ? {} : { _meta }) }
}

function toMessage(value: unknown, index: number): PromptMessage {
  const fault = findError(value)
  if (fault !== null) {
    throw new UnfitResult(`Message ${index} of the prompt ${fault}. Write userMessage(…) or assistantMessage(…)`)
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
