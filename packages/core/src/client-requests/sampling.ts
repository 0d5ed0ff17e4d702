import type { AudioContent, ContentBlock, ImageContent, TextContent } from '../content.js'
import { isJsonObject, type JsonObject, withoutNulls } from '../rpc/messages.js'
import {
  type ClientRequest,
  type ClientRequestOptions,
  InvalidClientAnswer,
  InvalidClientRequest,
} from './client-request.js'

/** A tool call that the model asks for. Available from 2025-11-25 on. */
export interface ToolUseContent {
  readonly type: 'tool_use'
  /** Id of the tool call, repeated as the `toolUseId` of its result. */
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  readonly _meta?: JsonObject
}

/** The result of a tool call that the model asked for. Available from 2025-11-25 on. */
export interface ToolResultContent {
  readonly type: 'tool_result'
  /** The `id` of the {@link ToolUseContent} that this result belongs to. */
  readonly toolUseId: string
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: JsonObject
}

export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent

export interface SamplingMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string | SamplingContent | readonly SamplingContent[]
  readonly _meta?: JsonObject
}

/** A tool that the model can call. The handler runs the tool, and calls `context.sample` again with the result. */
export interface SamplingTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
}

/**
 * Options of `context.sample`: a request to the client's model. Only `messages` and `maxTokens` are binding. The other options
 * are hints, and the client chooses the values of omitted options. Spec: client/sampling.
 */
export interface SampleOptions extends ClientRequestOptions {
  /** Messages of the conversation, oldest first. */
  readonly messages: readonly SamplingMessage[]
  /** Maximum number of tokens in the answer. */
  readonly maxTokens: number
  /** System prompt. The client can change or omit it. */
  readonly systemPrompt?: string
  /** Preferences for the choice of the model. The client makes the choice. */
  readonly modelPreferences?: {
    /** Model names, or parts of names, in order of preference. */
    readonly hints?: readonly { readonly name?: string }[]
    /** Importance of low cost, from 0 (irrelevant) to 1. `speedPriority` and `intelligencePriority` have the same range. */
    readonly costPriority?: number
    readonly speedPriority?: number
    readonly intelligencePriority?: number
  }
  /** Sampling temperature. The range depends on the model that the client selects. */
  readonly temperature?: number
  /** Strings that end the answer when the model generates them. */
  readonly stopSequences?: readonly string[]
  /**
   * Servers whose context the client adds to the prompt. From 2025-11-25 on, requires a client that declares `sampling.context`.
   * Deprecated by the spec.
   */
  readonly includeContext?: 'none' | 'thisServer' | 'allServers'
  /** Provider-specific parameters, passed on to the provider of the model. */
  readonly metadata?: JsonObject
  /** Tools that the model can call. Requires a client that declares `sampling.tools`. */
  readonly tools?: readonly SamplingTool[]
  /** Whether the model may (`auto`), must (`required`) or must not (`none`) call `tools`. Default: `auto`. */
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' }
}

export interface SampleResult {
  readonly role: 'user' | 'assistant'
  readonly content: readonly SamplingContent[]
  /** Text of all text blocks in `content`, joined. */
  readonly text: string
  /** Name of the model that answered. */
  readonly model: string
  /** Reason why the model stopped, such as `endTurn`, `stopSequence`, `maxTokens` or `toolUse`. */
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

/** Sends a single block without an array: revisions before 2025-11-25 allow only one block. */
function toWireMessage({ content, ...message }: Message): JsonObject {
  return { ...message, content: content.length === 1 ? content[0] : content }
}

/** Checks that results and tool calls match. Spec: client/sampling, "Message Content Constraints". */
function checkToolResults(messages: readonly Message[]): void {
  for (const [index, { content }] of messages.entries()) {
    const results = content.filter((block) => block.type === 'tool_result')
    if (results.length > 0 && results.length < content.length) {
      throw new InvalidClientRequest('A message with a tool_result must not have other content.')
    }
    const wanted = index === 0 ? [] : idsOfUses(messages[index - 1] as Message)
    const answered = results.map(({ toolUseId }) => toolUseId)
    if (wanted.length !== answered.length || !wanted.every((id) => answered.includes(id))) {
      throw new InvalidClientRequest('Each tool_use needs one tool_result in the next message.')
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
  if (!blocks.every(isSamplingContent))
    throw new InvalidClientAnswer('"content" must be a content block or a list of content blocks')
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
