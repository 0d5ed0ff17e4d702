import type { Guarded } from '../authorization/access-rule.js'
import type { McpContext } from '../context/mcp-context.js'
import type { HookReference } from '../hooks/call-hook.js'
import type { promptOptions, resourceOptions, toolOptions } from '../metadata/feature-options.js'
import type { Class, CompletionTarget, ParameterToken } from '../metadata/types.js'
import type { ReadOptions } from '../options/option.js'
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

/** Options that a definition replaces: `name` has the prefix of the controller, the schemas are compiled. */
type Replaced = 'name' | 'input' | 'output'

/** A tool as it was checked: its options with defaults, a name and compiled schemas. Frozen, as all definitions are. */
export interface ToolDefinition extends Runnable, Omit<ReadOptions<typeof toolOptions>, Replaced> {
  readonly name: string
  /** `_meta`, with `ui` where it is given. */
  readonly meta: JsonObject | undefined
  readonly input: CompiledSchema
  /** `null`: results are not checked and have no structured content. */
  readonly output: CompiledSchema | null
  readonly headerParameters: readonly HeaderParameter[]
  /** Whether the handler calls `startTask()`. */
  readonly startsTask: boolean
}

/** A prompt as it was checked. */
export interface PromptDefinition extends Runnable, Omit<ReadOptions<typeof promptOptions>, Replaced> {
  readonly name: string
  readonly meta: JsonObject | undefined
  readonly input: CompiledSchema
}

interface ResourceBase extends Runnable, Omit<ReadOptions<typeof resourceOptions>, Replaced> {
  readonly name: string
  readonly meta: JsonObject | undefined
}

/** A resource with a fixed URI, as it was checked. */
export interface ResourceDefinition extends ResourceBase {
  readonly uri: string
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
