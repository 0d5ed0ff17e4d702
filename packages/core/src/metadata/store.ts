// The only file that touches Reflect: metadata lives on the decorated class, nothing is global.
import '../container/tsyringe.js'
import type { InjectionToken } from '../container/tsyringe.js'
import type { Class, ControllerOptions, EmittedTypes, FeatureMetadata, ParameterTokens } from './types.js'

// Registered symbols: two copies of this package in one process understand each other.
const kFeatures = Symbol.for('toolwright.features')
const kController = Symbol.for('toolwright.controller')
const kParameterTokens = Symbol.for('toolwright.parameterTokens')

const recordListeners = new Set<(target: object) => void>()

/** Calls back with each class or prototype that something is recorded on, until the function that it returns is called. */
export function watchRecords(listener: (target: object) => void): () => void {
  recordListeners.add(listener)
  return () => recordListeners.delete(listener)
}

export function recordFeature(target: object, feature: FeatureMetadata): void {
  for (const listener of recordListeners) listener(target)
  const own = (Reflect.getOwnMetadata(kFeatures, target) as FeatureMetadata[] | undefined) ?? []
  Reflect.defineMetadata(kFeatures, [...own, feature], target)
}

export function recordController(controller: Class, options: ControllerOptions): void {
  Reflect.defineMetadata(kController, options, controller)
}

export function recordParameterToken(
  prototype: object,
  method: string | symbol,
  index: number,
  token: InjectionToken,
): void {
  const own = (Reflect.getOwnMetadata(kParameterTokens, prototype, method) as ParameterTokens | undefined) ?? new Map()
  Reflect.defineMetadata(kParameterTokens, new Map([...own, [index, token]]), prototype, method)
}

/** The features of a class, inherited ones included; a subclass that decorates the same method again wins. */
export function featuresOf(controller: Class): readonly FeatureMetadata[] {
  const features = new Map<string | symbol, FeatureMetadata[]>()
  for (const target of [controller, ...prototypeChain(controller)]) {
    const own = (Reflect.getOwnMetadata(kFeatures, target) as FeatureMetadata[] | undefined) ?? []
    for (const method of new Set(own.map((feature) => feature.method))) {
      features.set(method, features.get(method) ?? own.filter((feature) => feature.method === method))
    }
  }
  return [...features.values()].flat()
}

/** From the class's own prototype up to the last one before `Object.prototype`. */
function prototypeChain(controller: Class): object[] {
  const chain: object[] = []
  let prototype: unknown = controller.prototype
  while (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    chain.push(prototype)
    prototype = Object.getPrototypeOf(prototype)
  }
  return chain
}

export function controllerOptionsOf(controller: Class): ControllerOptions | undefined {
  return Reflect.getMetadata(kController, controller) as ControllerOptions | undefined
}

export function parameterTokensOf(controller: Class, method: string | symbol): ParameterTokens {
  const tokens = Reflect.getMetadata(kParameterTokens, prototypeOf(controller), method) as ParameterTokens | undefined
  return tokens ?? new Map()
}

export function emittedMethodTypes(controller: Class, method: string | symbol): EmittedTypes {
  const prototype = prototypeOf(controller)
  return {
    parameters: Reflect.getMetadata('design:paramtypes', prototype, method) as unknown[] | undefined,
    returns: Reflect.getMetadata('design:returntype', prototype, method) as unknown,
  }
}

/** The constructor parameter types that the compiler emitted, tokens of `@inject` put in their places. */
export function emittedConstructorTypes(controller: Class): readonly unknown[] | undefined {
  const types = Reflect.getMetadata('design:paramtypes', controller) as unknown[] | undefined
  const explicit = Reflect.getOwnMetadata('injectionTokens', controller) as Record<string, unknown> | undefined
  if (types === undefined && explicit === undefined) return undefined
  const merged = [...(types ?? [])]
  for (const [index, token] of Object.entries(explicit ?? {})) merged[Number(index)] = token
  return merged
}

function prototypeOf(controller: Class): object {
  return controller.prototype as object
}
