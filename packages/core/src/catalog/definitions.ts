import type { Guarded } from '../authorization/access-rule.js'
import type { ContentAnnotations } from '../content.js'
import type { McpContext } from '../context/mcp-context.js'
import type { HookReference } from '../hooks/call-hook.js'
import type { RateLimit } from '../limits/rate-limiter.js'
import type {
  Class,
  CompletionTarget,
  Icon,
  ParameterToken,
  ResourceUi,
  ToolAnnotations,
  ToolUi,
} from '../metadata/types.js'
import type { JsonObject } from '../rpc/messages.js'
import type { CompiledSchema } from '../schema/compiled-schema.js'
import type { AnyModelClass } from '../schema/model.js'
import type { HeaderParameter } from './define/header-parameters.js'
import type { UriTemplate } from './uri-template.js'

/** Where one parameter of a handler comes from. */
export type ParameterSource =
  | { readonly from: 'arguments' }
  | { readonly from: 'context' }
  | ({ readonly from: 'container' } & ParameterToken)

export interface MethodSource {
  readonly kind: 'method'
  readonly controller: Class
  readonly method: string | symbol
  readonly parameters: readonly ParameterSource[]
}

// oxlint-disable-next-line typescript/no-explicit-any
export type FeatureFunction = (args: any, context: McpContext) => unknown

export interface FunctionSource {
  readonly kind: 'function'
  readonly handler: FeatureFunction
}

/** What runs when a feature is used. */
export interface Runnable extends Guarded {
  readonly source: MethodSource | FunctionSource
  /** For messages: `CalculatorTools.add`, or `tool 'add'` when it was added as a function. */
  readonly origin: string
  /** Those of its class, then its own. */
  readonly hooks: readonly HookReference[]
  /** Arguments become an instance of it; `null` leaves them a plain object. */
  readonly model: AnyModelClass | null
}

/** A feature whose name and handler are known, with the options that are left to check. */
export interface Named<Options> extends Pick<Runnable, 'source' | 'origin' | 'rule' | 'hooks'> {
  readonly name: string
  readonly options: Options
}

/** What lists say about a feature. */
interface Description {
  readonly title: string | undefined
  readonly description: string | undefined
  readonly icons: readonly Icon[] | undefined
  readonly meta: JsonObject | undefined
}

interface ToolRateLimit extends RateLimit {
  /** For each caller, or for all of them together. */
  readonly per: 'caller' | 'tool'
}

/** A tool as it was checked: named, with compiled schemas. Frozen, as all definitions are. */
export interface ToolDefinition extends Runnable, Description {
  readonly name: string
  readonly annotations: ToolAnnotations | undefined
  readonly input: CompiledSchema
  /** `null`: results are not checked and have no structured content. */
  readonly output: CompiledSchema | null
  readonly headerParameters: readonly HeaderParameter[]
  /** Milliseconds; `undefined` takes the server's limit. */
  readonly timeoutMs: number | undefined
  /** `undefined` takes the server's limit. */
  readonly maxResultBytes: number | undefined
  /** `null`: calls never become tasks. */
  readonly task: 'optional' | 'required' | null
  /** The handler says itself from where on it is a task. */
  readonly startsTask: boolean
  /** `Infinity`: no limit. */
  readonly maxConcurrent: number
  readonly rateLimit: ToolRateLimit | null
  /** Text leaves as the handler wrote it. */
  readonly rawText: boolean
  /** Results hold what others wrote. */
  readonly untrusted: boolean
  /** What an MCP App has to do with it; also part of `meta`. */
  readonly ui: ToolUi | undefined
}

/** A prompt as it was checked. */
export interface PromptDefinition extends Runnable, Description {
  readonly name: string
  readonly input: CompiledSchema
}

interface ResourceBase extends Runnable, Description {
  readonly name: string
  readonly mimeType: string | undefined
  /** How hosts show it, when it is the page of an MCP App; also part of `meta`. */
  readonly ui: ResourceUi | undefined
  readonly annotations: ContentAnnotations | undefined
}

/** A resource with a fixed URI, as it was checked. */
export interface ResourceDefinition extends ResourceBase {
  readonly uri: string
  /** Bytes. */
  readonly size: number | undefined
}

/** The resources of a URI template, as it was checked. */
export interface ResourceTemplateDefinition extends ResourceBase {
  readonly template: UriTemplate
  /** Of the variables; `null`: they are strings, and anything goes. */
  readonly input: CompiledSchema | null
}

/** One file of a skill. */
export interface SkillFile {
  readonly uri: string
  /** `sha256:` and 64 hexadecimal digits, of the bytes. */
  readonly digest: string
  /** Bytes. */
  readonly size: number
}

/** A skill as `skills/list` tells of it; its files are served as resources. */
export interface SkillDefinition extends Guarded {
  /** Of its `SKILL.md`. */
  readonly uri: string
  /** All that the front matter of `SKILL.md` says, as JSON. */
  readonly frontmatter: JsonObject
  /** Every file, in order of the URIs, those of skills within it included. */
  readonly files: readonly SkillFile[]
}

/** A completion as it was checked. */
export interface CompletionDefinition extends Runnable {
  readonly target: CompletionTarget
}

/** Whatever can be served. */
export type FeatureDefinition =
  | ToolDefinition
  | PromptDefinition
  | ResourceDefinition
  | ResourceTemplateDefinition
  | CompletionDefinition
