import type { InjectionToken } from '../container/tsyringe.js'
import { McpContext } from '../context/mcp-context.js'
import type { Problems } from '../errors/problems.js'
import { controllerOptionsOf, emittedMethodTypes, parameterTokensOf } from '../metadata/store.js'
import type { Class, ToolMetadata, ToolOptions } from '../metadata/types.js'
import { isModelClass } from '../schema/model.js'
import { defineTool } from './define-tool.js'
import { lostMetadata } from './emitted-types.js'
import type { ParameterSource, ToolDefinition } from './tool-definition.js'
import { toSnakeCase } from './tool-name.js'

/** What a decorator recorded, made into a definition. `null` when there is no method to serve. */
export function defineMethod(controller: Class, tool: ToolMetadata, problems: Problems): ToolDefinition | null {
  const { method } = tool
  const origin = `${controller.name}.${String(method)}`
  const handler = tool.isStatic ? undefined : findMember(controller, method)?.value
  if (typeof handler !== 'function') {
    const found = tool.isStatic ? 'a static member' : 'an accessor or a property'
    problems.add('bad-decorator-target', `${origin}: @McpTool is on ${found}. Put it on a method of the instance.`)
    return null
  }
  reportUndefined(origin, tool.options, problems)
  reportTypeImport(origin, controller, tool, problems)
  const name = tool.options.name ?? (typeof method === 'string' ? toSnakeCase(method) : '')
  const prefix = controllerOptionsOf(controller)?.prefix ?? ''
  const options = withEmittedSchemas(controller, tool)
  const parameters = readParameters({ controller, method, origin, options, length: handler.length }, problems)
  const source = { kind: 'method', controller, method, parameters } as const
  return defineTool({ name: prefix + name, origin, source, options }, problems)
}

/** Not by reading it, which would run an accessor. */
function findMember(controller: Class, member: string | symbol): PropertyDescriptor | undefined {
  for (let target: unknown = controller.prototype; target !== null; target = Object.getPrototypeOf(target)) {
    const descriptor = Object.getOwnPropertyDescriptor(target, member)
    if (descriptor !== undefined) return descriptor
  }
  return undefined
}

const schemaOptions = ['input', 'output', 'inputSchema', 'outputSchema'] as const

/** A schema that was named and is not there: left alone, the tool would be served without it. */
function reportUndefined(origin: string, options: ToolOptions, problems: Problems): void {
  for (const option of schemaOptions.filter((name) => name in options && options[name] === undefined)) {
    problems.add(
      'missing-schema',
      `${origin}: its ${option} is undefined when the class is defined, as in a file that imports the file which ` +
        'imports it. Move the schema to a file of its own.',
    )
  }
}

/** `Function` is what tsc emits for a class that is imported as a type; no tool can return a function. */
function reportTypeImport(
  origin: string,
  controller: Class,
  { method, options }: ToolMetadata,
  problems: Problems,
): void {
  const isNamed = 'output' in options || 'outputSchema' in options
  if (isNamed || emittedMethodTypes(controller, method).returns !== Function) return
  problems.add(
    'missing-schema',
    `${origin}: its return type is Function at run time, so it gives no output schema. Write ` +
      '`import { SumOutput }`, not `import type { SumOutput }`, or name the schema with `output`.',
  )
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

/** Empty when something is not known about them: that is reported, and the definition is then not used. */
function readParameters(signature: Signature, problems: Problems): readonly ParameterSource[] {
  const { controller, method, origin, options } = signature
  const types = emittedMethodTypes(controller, method).parameters
  const tokens = parameterTokensOf(controller, method)
  const takesArguments = 'input' in options || 'inputSchema' in options
  if (takesArguments && tokens.has(0)) {
    const message = `${origin}, parameter 0: @Inject is on the tool's arguments. Move it to a later parameter.`
    problems.add('arguments-injected', message)
  }
  const count = types?.length ?? Math.max(signature.length, ...[...tokens.keys()].map((index) => index + 1))
  const injected = Array.from({ length: count }, (_, index) => index).slice(takesArguments ? 1 : 0)
  const unknown = types === undefined ? injected.filter((index) => !tokens.has(index)) : []
  for (const index of unknown) {
    const fix = index === 0 ? '`input: Schema` if it is the arguments, else @Inject(token)' : '@Inject(token)'
    problems.add(...lostMetadata(`${origin}, parameter ${index}`, fix))
  }
  if (unknown.length > 0) return []
  const sources = injected.map((index) => toSource(tokens.has(index) ? tokens.get(index) : types?.[index]))
  return takesArguments && count > 0 ? [{ from: 'arguments' }, ...sources] : sources
}

function toSource(token: unknown): ParameterSource {
  return token === McpContext ? { from: 'context' } : { from: 'container', token: token as InjectionToken }
}
