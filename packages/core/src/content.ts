import { acceptOtherCopies } from './copies/copies.js'
import type { JsonObject } from './rpc/messages.js'

/** Who a piece of content is for and how much it matters. */
export interface ContentAnnotations {
  /** Whom it is for. */
  readonly audience?: readonly ('user' | 'assistant')[]
  /** 0 (optional) to 1 (required). */
  readonly priority?: number
  /** ISO 8601 with seconds and a zone, such as `2026-01-31T09:00:00Z`; from 2025-06-18 on. */
  readonly lastModified?: string
}

/** What every content block may carry. */
export interface ContentOptions {
  readonly annotations?: ContentAnnotations
  readonly _meta?: JsonObject
}

/** Text for the model, or for the user. */
export interface TextContent extends ContentOptions {
  readonly type: 'text'
  readonly text: string
}

/** A picture. */
export interface ImageContent extends ContentOptions {
  readonly type: 'image'
  /** Base64. */
  readonly data: string
  readonly mimeType: string
}

/** From 2025-03-26 on; a 2024-11-05 client gets a line of text instead. */
export interface AudioContent extends ContentOptions {
  readonly type: 'audio'
  /** Base64. */
  readonly data: string
  readonly mimeType: string
}

/** From 2025-06-18 on; older clients get a line of text instead. */
export interface ResourceLink extends ContentOptions {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  /** Bytes. */
  readonly size?: number
}

/** What is in a resource: either `text` or `blob`. */
export interface ResourceContents {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  /** Base64, for what is not text. */
  readonly blob?: string
  readonly _meta?: JsonObject
}

/** The media type of pages of MCP Apps. */
export const appMimeType = 'text/html;profile=mcp-app'

/** A resource with its contents, in the middle of a result. */
export interface EmbeddedResource extends ContentOptions {
  readonly type: 'resource'
  readonly resource: ResourceContents
}

/** The five kinds of content. Spec: server/tools, "Tool Result". */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

/** Builds a block of text. */
export function text(value: string, options: ContentOptions = {}): TextContent {
  return { type: 'text', text: value, ...options }
}

/** Builds a picture. @param data Bytes, or Base64. */
export function image(data: Uint8Array | string, mimeType: string, options: ContentOptions = {}): ImageContent {
  return { type: 'image', data: toBase64(data), mimeType, ...options }
}

/** Builds a sound. @param data Bytes, or Base64. */
export function audio(data: Uint8Array | string, mimeType: string, options: ContentOptions = {}): AudioContent {
  return { type: 'audio', data: toBase64(data), mimeType, ...options }
}

/** Builds a link to a resource, which the client may read. */
export function resourceLink(
  uri: string,
  name: string,
  options: Omit<ResourceLink, 'type' | 'uri' | 'name'> = {},
): ResourceLink {
  return { type: 'resource_link', uri, name, ...options }
}

/** Builds a block that holds a whole resource. */
export function embeddedResource(resource: ResourceContents, options: ContentOptions = {}): EmbeddedResource {
  const { blob }: { readonly blob?: unknown } = resource
  if (blob !== undefined && !isBase64(blob)) {
    throw new TypeError('The blob is not base64. Give base64 by itself: no bytes, no data URL, no base64url')
  }
  return { type: 'resource', resource, ...options }
}

/** What a result that is built by hand is made of. */
export interface CallResultInit {
  readonly content?: readonly ContentBlock[]
  /** Has to fit the tool's output schema when it has one. */
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: JsonObject
}

/** A whole tool result, made with {@link result}. */
export class CallResult {
  constructor(readonly init: CallResultInit) {}
}
acceptOtherCopies(CallResult, 'CallResult')

/** Builds a tool result by hand: content beside structured content, an error with pictures, a `_meta`. */
export function result(init: CallResultInit): CallResult {
  return new CallResult(init)
}

function toBase64(data: Uint8Array | string): string {
  if (typeof data !== 'string') return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
  if (isBase64(data)) return data
  throw new TypeError('The data is not base64. Give bytes, or base64 by itself: no data URL, no base64url')
}

/** Whether it decodes everywhere: clients refuse a whole result for what does not, and say little about why. */
export function isBase64(data: unknown): data is string {
  return typeof data === 'string' && (isWhole(data) || isWhole(data.replace(/[\t\n\f\r ]/g, '')))
}

function isWhole(base64: string): boolean {
  // Decoding and encoding a large picture takes a tenth of the time that the pattern does, which says the same.
  if (Buffer.from(base64, 'base64').toString('base64') === base64) return true
  return base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)
}

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: ContentBlock
}

/** What `prompts/get` answers. */
export interface PromptResult {
  readonly description?: string
  readonly messages: readonly PromptMessage[]
  readonly _meta?: JsonObject
}

/** A message that a prompt puts into the user's mouth. */
export function userMessage(content: string | ContentBlock): PromptMessage {
  return { role: 'user', content: typeof content === 'string' ? text(content) : content }
}

/** A message that a prompt puts into the model's mouth. */
export function assistantMessage(content: string | ContentBlock): PromptMessage {
  return { role: 'assistant', content: typeof content === 'string' ? text(content) : content }
}
