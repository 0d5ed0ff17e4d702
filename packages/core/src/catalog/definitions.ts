import type { CompiledSchema } from '@toolwright/schema'
import type { Guarded } from '../authorization/access-rule.js'
import type { AppContainer } from '../container/app-container.js'
import type { McpContext } from '../context/mcp-context.js'
import type { EnabledFunction, TransportName } from '../context/viewer.js'
import type { HookReference } from '../hooks/call-hook.js'
import type { controllerOptions, promptOptions, resourceOptions, toolOptions } from '../metadata/feature-options.js'
import type { Class, CompletionTarget, ParameterToken } from '../metadata/types.js'
import type { AnyModelClass } from '../model.js'
import type { ReadOptions } from '../options/option.js'
import type { JsonObject } from '../rpc/messages.js'
import type { HeaderParameter } from './define/header-parameters.js'
import type { DependencyGraph } from './injection/dependency-graph.js'
import type { UriTemplate } from './uri-template.js'

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
export type FeatureFunction = (args: any, context: McpContext, uri: string) => unknown

export interface FunctionSource {
  readonly kind: 'function'
  readonly handler: FeatureFunction
}

export interface Visibility {
  readonly tags: readonly string[]
  readonly startsEnabled: boolean
  readonly enabledFor: readonly EnabledFunction[]
}

export interface CatalogEntry extends Guarded, Visibility {
  /** `null`: served over all transports. */
  readonly transports: readonly TransportName[] | null
}

export interface Runnable extends CatalogEntry {
  readonly source: MethodSource | FunctionSource
  /** Name in messages: `CalculatorTools.add`, or `tool 'add'` if the handler is a function. */
  readonly origin: string
  readonly hooks: readonly HookReference[]
  readonly model: AnyModelClass | null
  readonly mounted?: MountedParts
}

export interface MountedParts {
  readonly container: AppContainer
  readonly graph: DependencyGraph
  /** Hooks of the mounted options: they run after the hooks of the server. */
  readonly hooks: readonly HookReference[]
}

export interface Named<Options> extends Pick<Runnable, 'source' | 'origin' | 'rule' | 'hooks'> {
  readonly name: string
  readonly options: Options
  readonly shared?: SharedOptions
}

export type SharedOptions = Pick<ReadOptions<typeof controllerOptions>, 'tags' | 'enabled'>

/**
 * Options that a definition replaces: its `name` includes the prefix of the controller, its schemas are compiled, and `tags` and
 * `enabled` become its {@link Visibility}.
 */
type Replaced = 'name' | 'input' | 'output' | 'tags' | 'enabled'

/** Definition of a tool: its checked options with defaults, its name and its compiled schemas. All definitions are frozen. */
export interface ToolDefinition extends Runnable, Omit<ReadOptions<typeof toolOptions>, Replaced> {
  readonly name: string
  /** `_meta`, including `ui` if the tool has this option. */
  readonly meta: JsonObject | undefined
  readonly input: CompiledSchema
  /** `null`: results are not checked and have no structured content. */
  readonly output: CompiledSchema | null
  readonly headerParameters: readonly HeaderParameter[]
  /** Whether the handler calls `startTask()`. */
  readonly startsTask: boolean
}

export interface PromptDefinition extends Runnable, Omit<ReadOptions<typeof promptOptions>, Replaced> {
  readonly name: string
  readonly meta: JsonObject | undefined
  readonly input: CompiledSchema
}

interface ResourceBase extends Runnable, Omit<ReadOptions<typeof resourceOptions>, Replaced> {
  readonly name: string
  readonly meta: JsonObject | undefined
}

export interface ResourceDefinition extends ResourceBase {
  readonly uri: string
}

export interface ResourceTemplateDefinition extends ResourceBase {
  readonly template: UriTemplate
  /** Schema of the variables. `null`: the variables are strings, which are not checked. */
  readonly input: CompiledSchema | null
}

export interface CompletionDefinition extends Runnable {
  readonly target: CompletionTarget
}

export type FeatureDefinition =
  | ToolDefinition
  | PromptDefinition
  | ResourceDefinition
  | ResourceTemplateDefinition
  | CompletionDefinition
