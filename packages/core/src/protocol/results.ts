import type { ContentAnnotations, ContentBlock, ResourceContents } from '../content.js'
import type { Icon } from '../metadata/types.js'
import type { JsonObject } from '../rpc/messages.js'

// Results as the newest revision has them, for callers in this process.

/** What a tool answered. A failure of the tool's own is one, too: `isError`, with a text for the model. */
export interface CallToolResult {
  readonly content: readonly ContentBlock[]
  /** Fits the tool's output schema, when it has one. */
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: JsonObject
}

/** What was read: of most resources one, of others several with URIs of their own. */
export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[]
}

interface Listed {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly icons?: readonly Icon[]
  readonly _meta?: JsonObject
}

/** A prompt as the newest revision lists it. */
export interface ListedPrompt extends Listed {
  readonly arguments?: readonly {
    readonly name: string
    readonly title?: string
    readonly description?: string
    readonly required?: boolean
  }[]
}

/** A resource as the newest revision lists it. */
export interface ListedResource extends Listed {
  readonly uri: string
  readonly mimeType?: string
  /** Bytes. */
  readonly size?: number
  readonly annotations?: ContentAnnotations
}

/** A resource template as the newest revision lists it. */
export interface ListedResourceTemplate extends Omit<ListedResource, 'uri' | 'size'> {
  readonly uriTemplate: string
}

/** What is typed so far, and where. */
export interface CompleteParams {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string }
  readonly argument: { readonly name: string; readonly value: string }
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> }
}
