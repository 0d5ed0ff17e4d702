import type { AudioContent, ContentBlock, ImageContent, TextContent } from '../content.js'
import { isJsonObject, type JsonObject, withoutNulls } from '../rpc/messages.js'
import {
  type ClientRequest,
  type ClientRequestOptions,
  InvalidClientAnswer,
  InvalidClientRequest,
} from './client-request.js'

/** The model wants a tool run. From 2025-11-25 on. */
export interface ToolUseContent {
  readonly type: 'tool_use'
  /** The `toolUseId` of its result. */
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  readonly _meta?: JsonObject
}

/** What a tool that the model wanted run came to. From 2025-11-25 on. */
export interface ToolResultContent {
  readonly type: 'tool_result'
  /** The `id` of the {@link ToolUseContent} that it answers. */
  readonly toolUseId: string
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: JsonObject
}

/** What a message to a model, or of one, is made of. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent

/** One turn of a conversation with the client's model. */
export interface SamplingMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string | SamplingContent | readonly SamplingContent[]
  readonly _meta?: JsonObject
}

/** A tool that the model may use. The server runs it, and asks again with its result. */
export interface SamplingTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
}

/**
 * What the client's model is asked. Everything but the messages and `maxTokens` is advice to the client, which decides
 * about what is left out. Spec: client/sampling.
 */
export interface SampleOptions extends ClientRequestOptions {
  /** The conversation, oldest turn first. */
  readonly messages: readonly SamplingMessage[]
  /** Tokens that the answer has at most. */
  readonly maxTokens: number
  /** The client may change it, or leave it out. */
  readonly systemPrompt?: string
  /** Which model to take. The client decides. */
  readonly modelPreferences?: {
    /** Names of models, or parts of them, the best one first. */
    readonly hints?: readonly { readonly name?: string }[]
    /** Each 0 (does not matter) to 1. */
    readonly costPriority?: number
    readonly speedPriority?: number
    readonly intelligencePriority?: number
  }
  /** How much the answer may vary, in the measure of the model that the client takes. */
  readonly temperature?: number
  /** Texts at which the answer ends. */
  readonly stopSequences?: readonly string[]
  /** Deprecated by the spec, and only for clients that declare `sampling.context`. */
  readonly includeContext?: 'none' | 'thisServer' | 'allServers'
  /** Passed on to the vendor of the model. */
  readonly metadata?: JsonObject
  /** Only for clients that declare `sampling.tools`. */
  readonly tools?: readonly SamplingTool[]
  /** Whether the model may, has to or must not use `tools`. Default: `auto`, it may. */
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' }
}

/** What the client's model answered. */
export interface SampleResult {
  readonly role: 'user' | 'assistant'
  readonly content: readonly SamplingContent[]
  /** All text of `content`, joined. */
  readonly text: string
  /** The name of the model that answered. */
  readonly model: string
  /** Such as `endTurn`, `stopSequence`, `maxTokens`, `toolUse`. */
  readonly stopReason?: string
}

export function createSamplingRequest({ key, messages: given, ...rest }: SampleOptions): ClientRequest<SampleResult> {
  const messages = given.map(({ content, ...message }) => ({ ...message, content: toBlocks(content) }))
  checkToolResults(messages)
  return {
    request: { method: 'sampling/createMessage', params: { ...rest, messages: messages.map(toWireMessage) } },
    key,
    read: readAnswer,
  }
}

type Message = Omit<SamplingMessage, 'content'> & { readonly content: readonly SamplingContent[] }

function toBlocks(content: SamplingMessage['content']): readonly SamplingContent[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content : [content as SamplingContent]
}

/** One block stands alone, as in the revisions that knew nothing else. */
function toWireMessage({ content, ...message }: Message): JsonObject {
  return { ...message, content: content.length === 1 ? content[0] : content }
}

/** Spec: client/sampling, "Message Content Constraints". */
function checkToolResults(messages: readonly Message[]): void {
  for (const [index, { content }] of messages.entries()) {
    const results = content.filter((block) => block.type === 'tool_result')
    if (results.length > 0 && results.length < content.length) {
      throw new InvalidClientRequest('A message with a tool_result holds nothing but tool results.')
    }
    const wanted = index === 0 ? [] : idsOfUses(messages[index - 1] as Message)
    const answered = results.map(({ toolUseId }) => toolUseId)
    if (wanted.length !== answered.length || !wanted.every((id) => answered.includes(id))) {
      throw new InvalidClientRequest('Each tool_use is answered by one tool_result in the message that follows.')
    }
  }
}

function idsOfUses({ content }: Message): readonly string[] {
  return content.filter((block) => block.type === 'tool_use').map(({ id }) => id)
}

function readAnswer(answer: unknown): SampleResult {
  const { role, content, model, stopReason } = isJsonObject(answer) ? answer : ({} as JsonObject)
  const given: readonly unknown[] = Array.isArray(content) ? content : [content]
  const blocks = given.map((block) => (isJsonObject(block) ? withoutNulls(block) : block))
  if (role !== 'user' && role !== 'assistant') throw new InvalidClientAnswer('"role" must be "user" or "assistant"')
  if (typeof model !== 'string') throw new InvalidClientAnswer('"model" must be a string')
  if (!blocks.every(isSamplingContent)) throw new InvalidClientAnswer('"content" must be content blocks')
  const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
  return { role, content: blocks, text, model, ...(typeof stopReason === 'string' ? { stopReason } : {}) }
}

function isSamplingContent(value: unknown): value is SamplingContent {
  if (!isJsonObject(value)) return false
  const { type } = value
  if (type === 'text') return typeof value['text'] === 'string'
  if (type === 'image' || type === 'audio') {
    return typeof value['data'] === 'string' && typeof value['mimeType'] === 'string'
  }
  if (type === 'tool_use') {
    return typeof value['id'] === 'string' && typeof value['name'] === 'string' && isJsonObject(value['input'])
  }
  return type === 'tool_result' && typeof value['toolUseId'] === 'string' && Array.isArray(value['content'])
}
