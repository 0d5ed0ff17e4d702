import type { InjectionToken } from '../container/tsyringe.js'
import { McpContext } from '../context/mcp-context.js'
import type { Problems } from '../errors/problems.js'
import { controllerOptionsOf, emittedMethodTypes, parameterTokensOf } from '../metadata/store.js'
import type { Class, FeatureMetadata } from '../metadata/types.js'
import { type AnyModelClass, isModelClass } from '../schema/model.js'
import type { MethodSource, ParameterSource } from './definitions.js'
import { describeMissingType, isInjectable, lostMetadata } from './emitted-types.js'
import { toSnakeCase } from './feature-name.js'

/** A decorated method that exists and whose parameters are understood. */
export interface DecoratedMethod {
  readonly source: MethodSource
  readonly origin: string
  /** From the decorator, or the method's own in snake_case; with the controller's prefix. */
  readonly name: string
}

/** What the compiler's types of a method say about its schemas. */
export interface EmittedModels {
  readonly input?: AnyModelClass
  readonly output?: AnyModelClass
}

/** Schemas that the signature names by way of `Model` classes. */
export function emittedModels(controller: Class, { method }: FeatureMetadata): EmittedModels {
  const { parameters, returns } = emittedMethodTypes(controller, method)
  const first = parameters?.[0]
  const takesModel = isModelClass(first) && !parameterTokensOf(controller, method).has(0)
  return { ...(takesModel ? { input: first } : {}), ...(isModelClass(returns) ? { output: returns } : {}) }
}

/**
 * Reads a method: where each of its parameters comes from.
 *
 * @param takesArguments Whether the first parameter is the feature's arguments.
 * @returns `null` when there is no method to serve.
 */
export function defineMethod(
  controller: Class,
  feature: FeatureMetadata,
  takesArguments: boolean,
  problems: Problems,
): DecoratedMethod | null {
  const { kind, method, isStatic } = feature
  const origin = `${controller.name}.${String(method)}`
  const handler: unknown = isStatic ? undefined : Reflect.get(controller.prototype as object, method)
  if (typeof handler !== 'function') {
    const found = isStatic ? 'a static member' : 'no method'
    problems.add(
      'bad-decorator-target',
      `${origin}: ${decoratorOf[kind]} is on ${found}. Put it on an instance method.`,
    )
    return null
  }
  const signature = { controller, method, origin, takesArguments, length: handler.length }
  const source = { kind: 'method', controller, method, parameters: readParameters(signature, problems) } as const
  return { source, origin, name: nameOf(controller, feature) }
}

export const decoratorOf: Readonly<Record<FeatureMetadata['kind'], string>> = {
  tool: '@McpTool',
  prompt: '@McpPrompt',
  resource: '@McpResource',
  completion: '@McpCompletion',
}

function nameOf(controller: Class, feature: FeatureMetadata): string {
  const { method } = feature
  const given = 'options' in feature ? feature.options.name : undefined
  const prefix = controllerOptionsOf(controller)?.prefix ?? ''
  return prefix + (given ?? (typeof method === 'string' ? toSnakeCase(method) : ''))
}

interface Signature {
  readonly controller: Class
  readonly method: string | symbol
  readonly origin: string
  readonly takesArguments: boolean
  /** How many parameters the function itself says it has. */
  readonly length: number
}

function readParameters(signature: Signature, problems: Problems): readonly ParameterSource[] {
  const { controller, method, takesArguments } = signature
  const types = emittedMethodTypes(controller, method).parameters
  const tokens = parameterTokensOf(controller, method)
  const count = types?.length ?? Math.max(signature.length, ...[...tokens.keys()].map((index) => index + 1))
  return Array.from({ length: count }, (_, index): ParameterSource => {
    const where = `${signature.origin}, parameter ${index}`
    if (index > 0 || !takesArguments) return readInjected(where, index, types, tokens.get(index), problems)
    if (tokens.has(0)) {
      problems.add('arguments-injected', `${where}: the first parameter is the arguments. Move @Inject to a later one.`)
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
