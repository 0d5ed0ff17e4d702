import type { InjectionToken } from '../container/tsyringe.js'
import type { McpContext } from '../context/mcp-context.js'
import type { Class, Icon, ToolAnnotations } from '../metadata/types.js'
import type { JsonObject } from '../rpc/messages.js'
import type { CompiledSchema } from '../schema/compile-schema.js'
import type { AnyModelClass } from '../schema/model.js'
import type { HeaderParameter } from './header-parameters.js'

/** Where one parameter of a handler comes from. */
export type ParameterSource =
  | { readonly from: 'arguments' }
  | { readonly from: 'context' }
  | { readonly from: 'container'; readonly token: InjectionToken }

export interface MethodSource {
  readonly kind: 'method'
  readonly controller: Class
  readonly method: string | symbol
  readonly parameters: readonly ParameterSource[]
}

// oxlint-disable-next-line typescript/no-explicit-any
export type ToolFunction = (args: any, context: McpContext) => unknown

export interface FunctionSource {
  readonly kind: 'function'
  readonly handler: ToolFunction
}

/** A tool as it was checked: named, with compiled schemas. Frozen. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string | undefined
  readonly description: string | undefined
  readonly icons: readonly Icon[] | undefined
  readonly annotations: ToolAnnotations | undefined
  readonly meta: JsonObject | undefined
  readonly input: CompiledSchema
  /** `null`: results are not checked and have no structured content. */
  readonly output: CompiledSchema | null
  /** Arguments become an instance of it; `null` leaves them a plain object. */
  readonly model: AnyModelClass | null
  readonly headerParameters: readonly HeaderParameter[]
  /** Milliseconds; `undefined` takes the server's limit. */
  readonly timeoutMs: number | undefined
  readonly source: MethodSource | FunctionSource
  /** For messages: `CalculatorTools.add`, or the tool's name when it was added as a function. */
  readonly origin: string
}
