import type { ContentAnnotations, ContentBlock, ResourceContents } from '../../content.js'
import type { Icon, ToolAnnotations } from '../../metadata/types.js'
import type { JsonObject } from '../../rpc/messages.js'

// Results in the format of the newest revision, for callers in this process.

/** Result of a tool. If the tool failed, the result has `isError: true` and text for the model. */
export interface CallToolResult {
  readonly content: readonly ContentBlock[]
  /** Structured content. Matches the output schema of the tool, if the tool has an output schema. */
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: JsonObject
}

/** Contents of a resource, usually one item. If there are several items, each item has its own URI. */
export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[]
  readonly _meta?: JsonObject
}

interface Listed {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly icons?: readonly Icon[]
  readonly _meta?: JsonObject
}

/** A tool as listed in the newest revision. This type also fits tools in the `tools/list` result of any other server. */
export interface ListedTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject | undefined
  readonly annotations?: ToolAnnotations | undefined
  readonly icons?: readonly Icon[] | undefined
  readonly _meta?: JsonObject | undefined
}

/** A prompt as listed in the newest revision. */
export interface ListedPrompt extends Listed {
  readonly arguments?: readonly {
    readonly name: string
    readonly title?: string
    readonly description?: string
    readonly required?: boolean
  }[]
}

/** A resource as listed in the newest revision. */
export interface ListedResource extends Listed {
  readonly uri: string
  readonly mimeType?: string
  /** Size in bytes. */
  readonly size?: number
  readonly annotations?: ContentAnnotations
}

/** A resource template as listed in the newest revision. */
export interface ListedResourceTemplate extends Omit<ListedResource, 'uri' | 'size'> {
  readonly uriTemplate: string
}

/** The argument to complete and its value so far. */
export interface CompleteParams {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string }
  readonly argument: { readonly name: string; readonly value: string }
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> }
}
