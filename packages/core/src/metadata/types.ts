import type { InjectionToken } from '../container/tsyringe.js'
import type { BootDiagnostic } from '../errors/boot-error.js'
import type { AuthorizeOptions, PromptOptions, ResourceOptions, ToolOptions } from './feature-options.js'

/** A picture for a tool or server, shown by clients from 2025-11-25 on. */
export interface Icon {
  /** An `https:` or `data:` URI. */
  readonly src: string
  readonly mimeType?: string
  /** Sizes, such as `['48x48']` or `['any']`. */
  readonly sizes?: readonly string[]
  readonly theme?: 'light' | 'dark'
}

/** Hints about what a tool does. Clients show these hints, but nothing enforces them. */
export interface ToolAnnotations {
  /** Display name. Only for clients that do not read the option `title`. */
  readonly title?: string
  /** Whether the tool leaves its environment unchanged. Default: false. */
  readonly readOnlyHint?: boolean
  /** Whether the tool can destroy data. Default: true. Only used if `readOnlyHint` is not true. */
  readonly destructiveHint?: boolean
  /** Whether a second call with the same arguments changes nothing more. Default: false. */
  readonly idempotentHint?: boolean
  /** Whether the tool reaches systems other than this server, as a web search does. Default: true. */
  readonly openWorldHint?: boolean
}

/** Options that connect a tool with the page of an MCP App. Spec: MCP Apps, "Resource Discovery". */
export interface ToolUi {
  /** The page that shows the tool's results: a resource of this server whose URI begins with `ui://`. */
  readonly resourceUri?: `ui://${string}`
  /**
   * Allowed callers of the tool: the model, pages of this server, or both. Only hosts enforce this option, so it does not protect
   * the tool. Clients without MCP Apps show every tool to the model. Default: the model and the pages.
   */
  readonly visibility?: readonly ('model' | 'app')[]
}

/** Origins, such as `https://api.example.com`, that a page is allowed to use. The host blocks other origins. */
export interface UiOrigins {
  /** Origins for requests: `connect-src`. */
  readonly connectDomains?: readonly string[]
  /** Origins for scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[]
  /** Origins for frames within the page. */
  readonly frameDomains?: readonly string[]
  /** Origins for the document's base URI. */
  readonly baseUriDomains?: readonly string[]
}

/** Permissions that a page requests from the browser. Hosts can deny them. */
export interface UiPermissions {
  readonly camera?: Readonly<Record<string, never>>
  readonly microphone?: Readonly<Record<string, never>>
  readonly geolocation?: Readonly<Record<string, never>>
  readonly clipboardWrite?: Readonly<Record<string, never>>
}

/** Display options for the page of an MCP App. Spec: MCP Apps, "UI Resource Format". */
export interface ResourceUi {
  /** Origins that the page is allowed to use. Default: none. */
  readonly csp?: UiOrigins
  /** Each permission is an empty object: `{ clipboardWrite: {} }`. */
  readonly permissions?: UiPermissions
  /** Dedicated origin of the page, in the format of the host. */
  readonly domain?: string
  /** Whether the host draws a border and a background. Default: the host decides. */
  readonly prefersBorder?: boolean
}

/** The argument of a prompt, or the variable of a resource template, that a method completes. */
export type CompletionTarget =
  | { readonly prompt: string; readonly argument: string }
  | { readonly resource: string; readonly argument: string }

interface Decorated {
  readonly method: string | symbol
  readonly isStatic: boolean
}

/** Metadata that the decorator of a feature recorded. The `uri` of a resource is a URI or a URI template. */
export type FeatureMetadata = Decorated &
  (
    | { readonly kind: 'tool'; readonly options: ToolOptions }
    | { readonly kind: 'prompt'; readonly options: PromptOptions }
    | { readonly kind: 'resource'; readonly uri: string; readonly options: ResourceOptions }
    | { readonly kind: 'completion'; readonly target: CompletionTarget }
  )

export const decoratorOf: Readonly<Record<FeatureMetadata['kind'], string>> = {
  tool: '@McpTool',
  prompt: '@McpPrompt',
  resource: '@McpResource',
  completion: '@McpCompletion',
}

export type AuthorizationMetadata =
  | { readonly kind: 'authorize'; readonly options: AuthorizeOptions }
  | { readonly kind: 'anonymous' }

export interface RecordedDiagnostic {
  readonly diagnostic: BootDiagnostic
  readonly rejectedMethod: string | symbol | undefined
}

export interface ParameterToken {
  readonly token: InjectionToken
  readonly isOptional: boolean
}

export type ParameterTokens = ReadonlyMap<number, ParameterToken>

export interface EmittedTypes {
  readonly parameters: readonly unknown[] | undefined
  readonly returns: unknown
}

/** A class with any constructor: a controller, or the class of an injected instance. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Class = abstract new (...args: any[]) => object

export function isClass(value: unknown): value is Class {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
}
