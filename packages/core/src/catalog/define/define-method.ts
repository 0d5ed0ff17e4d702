import type { InjectionToken } from '../../container/tsyringe.js'
import { McpContext } from '../../context/mcp-context.js'
import type { TransportName } from '../../context/viewer.js'
import { Diagnostics } from '../../errors/diagnostics.js'
import type { HookReference } from '../../hooks/call-hook.js'
import { emittedMethodTypes } from '../../metadata/compiled-types.js'
import { controllerOptions } from '../../metadata/feature-options.js'
import { controllerOptionsOf, hooksOf, parameterTokensOf, prototypeChain } from '../../metadata/store.js'
import { type Class, decoratorOf, type FeatureMetadata } from '../../metadata/types.js'
import { type AnyModelClass, isModelClass } from '../../model.js'
import type { MethodSource, ParameterSource } from '../definitions.js'
import { lostMetadata } from '../injection/emitted-types.js'
import { checkFeatureOptions, reportUndefinedLimits } from './check-option-names.js'
import type { SchemaOptions } from './schema-option.js'
import { wireNameOf } from './wire-name.js'

export interface DecoratedMethod {
  readonly source: MethodSource
  readonly origin: string
  readonly hooks: readonly HookReference[]
  readonly name: string
}

interface EmittedModels {
  readonly input?: AnyModelClass
  readonly output?: AnyModelClass
}

export function emittedModels(controller: Class, { method }: FeatureMetadata): EmittedModels {
  const { parameters, returns } = emittedMethodTypes(controller, method)
  const first = parameters?.[0]
  const takesModel = isModelClass(first) && !parameterTokensOf(controller, method).has(0)
  return { ...(takesModel ? { input: first } : {}), ...(isModelClass(returns) ? { output: returns } : {}) }
}

export function transportsOf(controller: Class): readonly TransportName[] | null {
  const given = controllerOptionsOf(controller)?.transports
  // Invalid values were already reported, together with the other options of the controller.
  return given === undefined ? null : controllerOptions.transports.read(given, '', new Diagnostics())
}

/**
 * Reads a decorated method and the source of each of its parameters.
 *
 * @param takesArguments Whether the first parameter receives the feature's arguments.
 * @returns `null` when there is no method to serve.
 */
export function defineMethod(
  controller: Class,
  feature: FeatureMetadata,
  takesArguments: boolean,
  diagnostics: Diagnostics,
): DecoratedMethod | null {
  const { kind, method, isStatic } = feature
  const origin = `${controller.name}.${String(method)}`
  const handler = isStatic ? undefined : findMember(controller, method)?.value
  if (typeof handler !== 'function') {
    const found = isStatic ? 'a static member' : 'an accessor or a property'
    const message = `${origin}: ${decoratorOf[kind]} is on ${found}. Put it on an instance method.`
    diagnostics.add('bad-decorator-target', message)
    return null
  }
  checkFeatureOptions(origin, feature, diagnostics)
  if ('options' in feature) {
    reportUndefined(origin, feature.options, diagnostics)
    reportUndefinedLimits(origin, feature.options, diagnostics)
  }
  const signature = { controller, method, origin, takesArguments, length: handler.length }
  const source = { kind: 'method', controller, method, parameters: readParameters(signature, diagnostics) } as const
  return { source, origin, hooks: hooksOf(controller, method), name: nameOf(controller, feature) }
}

function findMember(controller: Class, member: string | symbol): PropertyDescriptor | undefined {
  const owner = prototypeChain(controller).find((prototype) => Object.hasOwn(prototype, member))
  return owner && Object.getOwnPropertyDescriptor(owner, member)
}

const schemaOptions = ['input', 'output', 'inputSchema', 'outputSchema'] as const

/** Reports schema options that are `undefined`: without this check, the feature would be served without its schema. */
function reportUndefined(origin: string, options: SchemaOptions, diagnostics: Diagnostics): void {
  for (const option of schemaOptions.filter((name) => name in options && options[name] === undefined)) {
    diagnostics.add(
      'missing-schema',
      `${origin}: its ${option} is undefined when the class is defined, perhaps because two files import ` +
        'each other. Move the schema to a separate file.',
    )
  }
}

export function reportTypeImport(
  { source, origin }: DecoratedMethod,
  options: SchemaOptions,
  diagnostics: Diagnostics,
): void {
  const isNamed = 'output' in options || 'outputSchema' in options
  if (isNamed || emittedMethodTypes(source.controller, source.method).returns !== Function) return
  diagnostics.add(
    'missing-schema',
    `${origin}: its return type is Function at run time, so it defines no output schema. Import the class with ` +
      '`import { SumOutput }`, not `import type { SumOutput }`, or pass the schema as the option `output`.',
  )
}

function nameOf(controller: Class, feature: FeatureMetadata): string {
  const { method } = feature
  const name = 'options' in feature ? feature.options.name : undefined
  const { prefix } = controllerOptionsOf(controller) ?? {}
  return wireNameOf(typeof method === 'string' ? method : '', {
    name,
    prefix: typeof prefix === 'string' ? prefix : undefined,
  })
}

interface Signature {
  readonly controller: Class
  readonly method: string | symbol
  readonly origin: string
  readonly takesArguments: boolean
  /** `length` of the function: the number of parameters before the first parameter with a default value. */
  readonly length: number
}

function readParameters(signature: Signature, diagnostics: Diagnostics): readonly ParameterSource[] {
  const { controller, method, origin, takesArguments } = signature
  const types = emittedMethodTypes(controller, method).parameters
  const tokens = parameterTokensOf(controller, method)
  const error = takesArguments ? errorOfArguments(tokens.has(0), types?.[0]) : null
  if (error !== null) diagnostics.add('arguments-injected', `${origin}, parameter 1: ${error}`)
  const count = types?.length ?? Math.max(signature.length, ...[...tokens.keys()].map((index) => index + 1))
  const injected = Array.from({ length: count }, (_, index) => index).slice(takesArguments ? 1 : 0)
  const unknown = types === undefined ? injected.filter((index) => !tokens.has(index)) : []
  for (const index of unknown) {
    const fix =
      index === 0 ? '`input: Schema` if the parameter receives the arguments, else @Inject(token)' : '@Inject(token)'
    diagnostics.add(...lostMetadata(`${origin}, parameter ${index + 1}`, fix))
  }
  if (unknown.length > 0) return []
  const sources = injected.map((index): ParameterSource => {
    const parameter = tokens.get(index) ?? { token: types?.[index] as InjectionToken, isOptional: false }
    return parameter.token === McpContext ? { from: 'context' } : { from: 'container', ...parameter }
  })
  return takesArguments && count > 0 ? [{ from: 'arguments' }, ...sources] : sources
}

function errorOfArguments(isInjected: boolean, type: unknown): string | null {
  if (isInjected)
    return '@Inject is on the first parameter, which receives the arguments. Move it to a later parameter.'
  return type === McpContext
    ? 'its type is McpContext, but the first parameter receives the arguments. Put the arguments first.'
    : null
}
