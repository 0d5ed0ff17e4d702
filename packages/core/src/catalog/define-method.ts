import type { InjectionToken } from '../container/tsyringe.js'
import { McpContext } from '../context/mcp-context.js'
import type { Problems } from '../errors/problems.js'
import { controllerOptionsOf, emittedMethodTypes, parameterTokensOf } from '../metadata/store.js'
import type { Class, ToolMetadata, ToolOptions } from '../metadata/types.js'
import { isModelClass } from '../schema/model.js'
import { defineTool } from './define-tool.js'
import { describeMissingType, isInjectable, lostMetadata } from './emitted-types.js'
import type { ParameterSource, ToolDefinition } from './tool-definition.js'
import { toSnakeCase } from './tool-name.js'

/** What a decorator recorded, made into a definition. `null` when there is no method to serve. */
export function defineMethod(controller: Class, tool: ToolMetadata, problems: Problems): ToolDefinition | null {
  const { method } = tool
  const origin = `${controller.name}.${String(method)}`
  const handler: unknown = tool.isStatic ? undefined : Reflect.get(controller.prototype as object, method)
  if (typeof handler !== 'function') {
    const found = tool.isStatic ? 'a static member' : 'no method'
    problems.add('bad-decorator-target', `${origin}: @McpTool is on ${found}. Put it on an instance method.`)
    return null
  }
  const name = tool.options.name ?? (typeof method === 'string' ? toSnakeCase(method) : '')
  const prefix = controllerOptionsOf(controller)?.prefix ?? ''
  const options = withEmittedSchemas(controller, tool)
  const parameters = readParameters({ controller, method, origin, options, length: handler.length }, problems)
  const source = { kind: 'method', controller, method, parameters } as const
  return defineTool({ name: prefix + name, origin, source, options }, problems)
}

/** Schemas that the signature names by way of `Model` classes, for a direction in which the options name none. */
function withEmittedSchemas(controller: Class, { method, options }: ToolMetadata): ToolOptions {
  const emitted = emittedMethodTypes(controller, method)
  const first = emitted.parameters?.[0]
  const input = isModelClass(first) && !parameterTokensOf(controller, method).has(0) ? { input: first } : {}
  const output = isModelClass(emitted.returns) ? { output: emitted.returns } : {}
  return { ...input, ...output, ...options }
}

interface Signature {
  readonly controller: Class
  readonly method: string | symbol
  readonly origin: string
  readonly options: ToolOptions
  /** How many parameters the function itself says it has. */
  readonly length: number
}

function readParameters(signature: Signature, problems: Problems): readonly ParameterSource[] {
  const { controller, method, options } = signature
  const types = emittedMethodTypes(controller, method).parameters
  const tokens = parameterTokensOf(controller, method)
  const takesArguments = 'input' in options || options.inputSchema !== undefined
  const count = types?.length ?? Math.max(signature.length, ...[...tokens.keys()].map((index) => index + 1))
  return Array.from({ length: count }, (_, index): ParameterSource => {
    const where = `${signature.origin}, parameter ${index}`
    if (index > 0 || !takesArguments) return readInjected(where, index, types, tokens.get(index), problems)
    if (tokens.has(0)) {
      problems.add(
        'arguments-injected',
        `${where}: the first parameter is the tool's arguments. Move @Inject to a later one.`,
      )
    }
    return { from: 'arguments' }
  })
}

function readInjected(
  where: string,
  index: number,
  types: readonly unknown[] | undefined,
  named: InjectionToken | undefined,
  problems: Problems,
): ParameterSource {
  const token = named ?? types?.[index]
  if (token === McpContext) return { from: 'context' }
  if (named === undefined && types === undefined) {
    const fix = index === 0 ? '`input: Schema` if it is the arguments, else @Inject(token)' : '@Inject(token)'
    problems.add(...lostMetadata(where, fix))
  } else if (!isInjectable(token)) {
    const [code, message] = describeMissingType(where, token)
    const hint = index === 0 ? ' If it is the arguments, give their schema with `input`.' : ''
    problems.add(code, message + hint)
  }
  return { from: 'container', token: token as InjectionToken }
}
