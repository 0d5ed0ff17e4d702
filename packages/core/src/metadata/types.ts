import type { Policy } from '../authorization/policy.js'
import type { InjectionToken } from '../container/tsyringe.js'
import type { ContentAnnotations } from '../content.js'
import type { BootDiagnostic } from '../errors/boot-error.js'
import type { RateLimit } from '../limits/rate-limiter.js'
import type { JsonObject } from '../rpc/messages.js'
import type { InputSchema, OutputSchema } from '../schema/model.js'

/** A picture for a tool or server, shown by clients from 2025-11-25 on. */
export interface Icon {
  /** An `https:` or `data:` URI. */
  readonly src: string
  readonly mimeType?: string
  /** Such as `['48x48']` or `['any']`. */
  readonly sizes?: readonly string[]
  readonly theme?: 'light' | 'dark'
}

/** Hints about what a tool does. Clients show them; nothing enforces them. */
export interface ToolAnnotations {
  /** The tool's name for people, for clients that do not know the option `title`. */
  readonly title?: string
  /** The tool changes nothing. Default: false. */
  readonly readOnlyHint?: boolean
  /** It may destroy something. Default: true, of meaning only when it is not read-only. */
  readonly destructiveHint?: boolean
  /** A second call with the same arguments changes nothing more. Default: false. */
  readonly idempotentHint?: boolean
  /** It reaches beyond this server, as a web search does. Default: true. */
  readonly openWorldHint?: boolean
}

/** What an MCP App has to do with a tool. Spec: MCP Apps, "Resource Discovery". */
export interface ToolUi {
  /** The page that shows the tool's results: a resource of this server whose URI begins with `ui://`. */
  readonly resourceUri?: `ui://${string}`
  /**
   * Who may call the tool: the model, pages of this server, or both. Hosts see to it, so it is no protection; and
   * clients that know no apps show every tool to their model. Default: both.
   */
  readonly visibility?: readonly ('model' | 'app')[]
}

/** Origins, such as `https://api.example.com`, that a page may use. What is not listed, the host blocks. */
export interface UiOrigins {
  /** For requests: `connect-src`. */
  readonly connectDomains?: readonly string[]
  /** For scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[]
  /** For frames within the page. */
  readonly frameDomains?: readonly string[]
  /** For the document's base URI. */
  readonly baseUriDomains?: readonly string[]
}

/** What a browser is to let a page do. Hosts may refuse. */
export interface UiPermissions {
  readonly camera?: Readonly<Record<string, never>>
  readonly microphone?: Readonly<Record<string, never>>
  readonly geolocation?: Readonly<Record<string, never>>
  readonly clipboardWrite?: Readonly<Record<string, never>>
}

/** How a host shows the page of an MCP App. Spec: MCP Apps, "UI Resource Format". */
export interface ResourceUi {
  /** Default: nothing from outside, and no connections. */
  readonly csp?: UiOrigins
  /** Each one is an empty object: `{ clipboardWrite: {} }`. */
  readonly permissions?: UiPermissions
  /** An origin of its own for the page. Each host has its own format for it. */
  readonly domain?: string
  /** Whether the host draws a border and a background. Default: as the host likes. */
  readonly prefersBorder?: boolean
}

/** What describes a tool, whoever runs it. */
export interface ToolOptions<
  Input extends InputSchema | undefined = InputSchema | undefined,
  Output extends OutputSchema | undefined = OutputSchema | undefined,
> {
  /** Default: the method's name in snake_case. 1 to 128 of `A-Z a-z 0-9 _ . -`. */
  readonly name?: string
  /** Its name for people. */
  readonly title?: string
  /** What the tool does, for the model that chooses it. */
  readonly description?: string
  /** Pictures for it, from 2025-11-25 on. */
  readonly icons?: readonly Icon[]
  /** Hints about what it does. Nothing enforces them. */
  readonly annotations?: ToolAnnotations
  /** Passed on in lists as it is. */
  readonly _meta?: JsonObject
  /** Schema of the arguments: the method's first parameter. */
  readonly input?: Input
  /** Schema of the result: what the method returns, or its promise resolves to. */
  readonly output?: Output
  /** A plain JSON Schema that is listed and enforced instead of `input`. */
  readonly inputSchema?: JsonObject
  /** A plain JSON Schema that is listed and enforced instead of `output`. */
  readonly outputSchema?: JsonObject
  /** Milliseconds for a call, after which its signal aborts. Default: the server's `limits.callTimeoutMs`. */
  readonly timeoutMs?: number
  /**
   * Bytes of one result, after which the call fails. Default: the server's `limits.maxResultBytes`; a tool may have more.
   */
  readonly maxResultBytes?: number
  /**
   * Runs calls as tasks (2026-07-28): the client is answered at once, and asks for the result later. Clients without
   * tasks wait for the result of an `optional` tool, and cannot call a `required` one. Default: never.
   */
  readonly task?: 'optional' | 'required'
  /**
   * When a call becomes a task: before its handler runs, or when the handler calls `context.startTask()`, perhaps after
   * asking the client something. Default: `at-once`.
   */
  readonly taskStart?: 'at-once' | 'by-handler'
  /**
   * Calls that run at once, of all callers together; more are refused. A call counts until its handler has ended, also
   * when it has timed out or was cancelled. Default: no limit.
   */
  readonly maxConcurrent?: number
  /** How often it may be called. `per`: counted for each caller (the default), or for all of them together. */
  readonly rateLimit?: RateLimit & { readonly per?: 'caller' | 'tool' }
  /**
   * Sends text as the handler wrote it. Otherwise control characters (except tab and line breaks) and invisible tag
   * characters are removed, and halves of characters become U+FFFD. Default: false.
   */
  readonly rawText?: boolean
  /**
   * Results hold what others wrote, such as web pages or mail. Clients are told by `annotations.openWorldHint` in
   * lists, and by `toolwright/untrusted` in the `_meta` of each result. Default: false.
   */
  readonly untrusted?: boolean
  /** The page of an MCP App that shows the tool's results, and who may call the tool. Sent as `_meta.ui`. */
  readonly ui?: ToolUi
}

/** What describes a prompt. */
export interface PromptOptions<Input extends InputSchema | undefined = InputSchema | undefined> {
  /** Default: the method's name in snake_case. */
  readonly name?: string
  /** Its name for people. */
  readonly title?: string
  /** What it is, for the model and for people. */
  readonly description?: string
  /** Pictures for it, from 2025-11-25 on. */
  readonly icons?: readonly Icon[]
  /** Passed on in lists as it is. */
  readonly _meta?: JsonObject
  /**
   * Schema of the arguments. Clients send them as strings: numbers, booleans and lists of one value are converted,
   * objects cannot be asked for.
   */
  readonly input?: Input
}

/** What describes a resource, or the resources of a template. */
export interface ResourceOptions<Input extends InputSchema | undefined = InputSchema | undefined> {
  /** Default: the method's name in snake_case. */
  readonly name?: string
  /** Its name for people. */
  readonly title?: string
  /** What it is, for the model and for people. */
  readonly description?: string
  /**
   * Default: `text/plain` for text, `application/json` for other data, `application/octet-stream` for bytes. Resources
   * whose URI begins with `ui://` are always pages of MCP Apps, `text/html;profile=mcp-app`.
   */
  readonly mimeType?: string
  /** Pictures for it, from 2025-11-25 on. */
  readonly icons?: readonly Icon[]
  /** Whom it is for, and how much it matters. */
  readonly annotations?: ContentAnnotations
  /** Its size in bytes, if known in advance. Not for templates. */
  readonly size?: number
  /** Passed on in lists as it is. */
  readonly _meta?: JsonObject
  /** How hosts show the page of an MCP App. For URIs that begin with `ui://`. Sent as `_meta.ui`. */
  readonly ui?: ResourceUi
  /** Schema of a template's variables, to have them checked and converted. Default: all are strings. */
  readonly input?: Input
}

/** The argument of a prompt, or the variable of a resource template, that a method completes. */
export type CompletionTarget =
  | { readonly prompt: string; readonly argument: string }
  | { readonly resource: string; readonly argument: string }

interface Decorated {
  readonly method: string | symbol
  readonly isStatic: boolean
}

/** What the decorator of a feature recorded. A resource's `uri` is a URI, or a URI template. */
export type FeatureMetadata = Decorated &
  (
    | { readonly kind: 'tool'; readonly options: ToolOptions }
    | { readonly kind: 'prompt'; readonly options: PromptOptions }
    | { readonly kind: 'resource'; readonly uri: string; readonly options: ResourceOptions }
    | { readonly kind: 'completion'; readonly target: CompletionTarget }
  )

/** The decorator of each kind of feature, for messages. */
export const decoratorOf: Readonly<Record<FeatureMetadata['kind'], string>> = {
  tool: '@McpTool',
  prompt: '@McpPrompt',
  resource: '@McpResource',
  completion: '@McpCompletion',
}

/** What all features of a class share. */
export interface ControllerOptions {
  /** Put before the name of each of the class's features, as it is: `'calc_'` makes `calc_add` of `add`. */
  readonly prefix?: string
  /**
   * Whether the class is only a base for others: a scan serves its subclasses, which inherit its features, and leaves
   * the class itself out. Subclasses do not inherit this option. Default: false.
   */
  readonly abstract?: boolean
}

/** What a caller must have: all that is given here. */
export interface AuthorizeOptions {
  /** One of them is enough. The case of A to Z does not matter. */
  readonly roles?: readonly string[]
  /** All of them are needed. */
  readonly scopes?: readonly string[]
  /** Decides on each call, knowing the arguments: a function, or a class that is made with what it needs injected. */
  readonly policy?: Policy
}

/** What one decorator said about who may use something. */
export type AuthorizationMetadata =
  | { readonly kind: 'authorize'; readonly options: AuthorizeOptions }
  | { readonly kind: 'anonymous' }

/** The marks on one class, or on one method of it; `undefined` stands for the class itself. */
export type AuthorizationMetadataChain = ReadonlyMap<string | symbol | undefined, readonly AuthorizationMetadata[]>

/** What a decorator found wrong, to be reported at boot. */
export interface RecordedDiagnostic {
  readonly diagnostic: BootDiagnostic
  /** The method that would be a feature. */
  readonly missed: string | symbol | undefined
}

/** The token that `@Inject` names for a method parameter. */
export interface ParameterToken {
  readonly token: InjectionToken
  /** Whether a token that nothing is registered for injects `undefined`. */
  readonly isOptional: boolean
}

export type ParameterTokens = ReadonlyMap<number, ParameterToken>

/** What the compiler emitted about a method's signature; `undefined` when it emitted nothing. */
export interface EmittedTypes {
  readonly parameters: readonly unknown[] | undefined
  readonly returns: unknown
}

/** A class with features, or one that is injected, whatever its constructor takes. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Class = abstract new (...args: any[]) => object

/** Whether something is a class, and not just a function. */
export function isClass(value: unknown): value is Class {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
}
