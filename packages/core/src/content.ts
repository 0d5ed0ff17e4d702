import { acceptOtherCopies } from './copies/copies.js'
import type { JsonObject } from './rpc/messages.js'

export interface ContentAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[]
  /** Importance from 0 (optional) to 1 (required). */
  readonly priority?: number
  /**
   * Time of the last change in ISO 8601, with seconds and a time zone, such as `2026-01-31T09:00:00Z`. Sent from 2025-06-18 on.
   */
  readonly lastModified?: string
}

/** Members that all content blocks share. */
export interface ContentOptions {
  readonly annotations?: ContentAnnotations
  readonly _meta?: JsonObject
}

export interface TextContent extends ContentOptions {
  readonly type: 'text'
  readonly text: string
}

export interface ImageContent extends ContentOptions {
  readonly type: 'image'
  /** The image as base64. */
  readonly data: string
  readonly mimeType: string
}

/** Audio, from 2025-03-26 on. Clients of 2024-11-05 receive a line of text instead. */
export interface AudioContent extends ContentOptions {
  readonly type: 'audio'
  /** The audio as base64. */
  readonly data: string
  readonly mimeType: string
}

/** A link to a resource, from 2025-06-18 on. Older clients receive a line of text instead. */
export interface ResourceLink extends ContentOptions {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  /** Size in bytes. */
  readonly size?: number
}

/** The contents of a resource: either `text` or `blob`. */
export interface ResourceContents {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  /** Base64, for binary contents. */
  readonly blob?: string
  readonly _meta?: JsonObject
}

/** The media type of MCP Apps pages. */
export const appMimeType = 'text/html;profile=mcp-app'

export interface EmbeddedResource extends ContentOptions {
  readonly type: 'resource'
  readonly resource: ResourceContents
}

/** The five kinds of content. Spec: server/tools, "Tool Result". */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

export function text(value: string, options: ContentOptions = {}): TextContent {
  return { type: 'text', text: value, ...options }
}

/** Builds an image block. @param data Bytes, or base64. */
export function image(data: Uint8Array | string, mimeType: string, options: ContentOptions = {}): ImageContent {
  return { type: 'image', data: toBase64(data), mimeType, ...options }
}

/** Builds an audio block. @param data Bytes, or base64. */
export function audio(data: Uint8Array | string, mimeType: string, options: ContentOptions = {}): AudioContent {
  return { type: 'audio', data: toBase64(data), mimeType, ...options }
}

/** Builds a link to a resource, which the client can read with `resources/read`. */
export function resourceLink(
  uri: string,
  name: string,
  options: Omit<ResourceLink, 'type' | 'uri' | 'name'> = {},
): ResourceLink {
  return { type: 'resource_link', uri, name, ...options }
}

export function embeddedResource(resource: ResourceContents, options: ContentOptions = {}): EmbeddedResource {
  const { blob }: { readonly blob?: unknown } = resource
  if (blob !== undefined && !isBase64(blob)) {
    throw new TypeError('The blob is not base64. Give plain base64: no bytes, no data URL, no base64url')
  }
  return { type: 'resource', resource, ...options }
}

export interface CallResultInit<Structured = unknown> {
  readonly content?: readonly ContentBlock[]
  /** Structured content. Must match the output schema of the tool, if the tool has an output schema. */
  readonly structuredContent?: Structured
  readonly isError?: boolean
  readonly _meta?: JsonObject
}

/** A complete tool result, built with {@link result}. */
export class CallResult<Structured = unknown> {
  constructor(readonly init: CallResultInit<Structured>) {}
}
acceptOtherCopies(CallResult, 'CallResult')

/**
 * Builds a complete tool result, for example an error with images, a result with `_meta`, or structured content with separate
 * text.
 */
export function result<Structured = undefined>(init: CallResultInit<Structured>): CallResult<Structured> {
  return new CallResult(init)
}

export function toBase64(data: Uint8Array | string): string {
  if (typeof data !== 'string') return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
  if (isBase64(data)) return data
  throw new TypeError('The data is not base64. Give bytes, or plain base64: no data URL, no base64url')
}

/** Whether all clients can decode the data. For invalid base64, clients reject the whole result, often without a reason. */
export function isBase64(data: unknown): data is string {
  return typeof data === 'string' && (isPadded(data) || isPadded(data.replace(/[\t\n\f\r ]/g, '')))
}

function isPadded(base64: string): boolean {
  // Fast path: for a large image, decoding and encoding takes a tenth of the time of the pattern below.
  if (Buffer.from(base64, 'base64').toString('base64') === base64) return true
  return base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)
}

export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: ContentBlock
}

/** The result of `prompts/get`. */
export interface PromptResult {
  readonly description?: string
  readonly messages: readonly PromptMessage[]
  readonly _meta?: JsonObject
}

export function userMessage(content: string | ContentBlock): PromptMessage {
  return { role: 'user', content: typeof content === 'string' ? text(content) : content }
}

export function assistantMessage(content: string | ContentBlock): PromptMessage {
  return { role: 'assistant', content: typeof content === 'string' ? text(content) : content }
}
