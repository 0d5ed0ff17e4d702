// The metadata that decorators record, stored on the decorated classes.

import '../container/tsyringe.js'
import { type Copy, otherCopyOf, ownedHere } from '../copies/copies.js'
import type { BootDiagnostic } from '../errors/boot-error.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import type { HookReference } from '../hooks/call-hook.js'
import type { ControllerOptions } from './feature-options.js'
import type {
  AuthorizationMetadata,
  Class,
  FeatureMetadata,
  ParameterToken,
  ParameterTokens,
  RecordedDiagnostic,
} from './types.js'

// Registered symbols, so that boot finds and reports metadata of another copy of this package.
const kFeatures = Symbol.for('toolwright.features')
const kController = Symbol.for('toolwright.controller')
const kAccess = Symbol.for('toolwright.access')
const kHooks = Symbol.for('toolwright.hooks')
const kParameterTokens = Symbol.for('toolwright.parameterTokens')
const kDiagnostics = Symbol.for('toolwright.problems')
const kDecorated = Symbol.for('toolwright.decorated')

const recordListeners = new Set<(target: object) => void>()

export function watchRecords(listener: (target: object) => void): () => void {
  recordListeners.add(listener)
  return () => recordListeners.delete(listener)
}

export function recordFeature(target: object, feature: FeatureMetadata): void {
  for (const listener of recordListeners) listener(target)
  ownedHere(feature)
  addTo<FeatureMetadata>(kFeatures, target, feature.method, (own) => [...own, feature])
}

/**
 * Records a problem that a decorator found. Boot reports it together with all other problems.
 *
 * @param target A class or a prototype.
 * @param rejectedMethod The method that is not a feature because of the problem. Other decorators of this method are not reported as
 * misplaced.
 */
export function recordDiagnostic(target: object, diagnostic: BootDiagnostic, rejectedMethod?: string | symbol): void {
  for (const listener of recordListeners) listener(target)
  Reflect.defineMetadata(kDiagnostics, [...ownList(kDiagnostics, target), { diagnostic, rejectedMethod }], target)
}

function ownList<Entry>(key: symbol, target: object): readonly Entry[] {
  return (Reflect.getOwnMetadata(key, target) as Entry[] | undefined) ?? []
}

type Method = string | symbol

function ownMap<Value, Key = Method | undefined>(key: symbol, target: object): ReadonlyMap<Key, readonly Value[]> {
  return (Reflect.getOwnMetadata(key, target) as Map<Key, readonly Value[]> | undefined) ?? new Map()
}

/** Adds to a list in the map of a class or prototype. Changes the map in place: a copy for each method would be slow. */
function addTo<Value>(
  key: symbol,
  target: object,
  method: Method | undefined,
  add: (own: readonly Value[]) => Value[],
) {
  const map = ownMap<Value>(key, target) as Map<Method | undefined, readonly Value[]>
  map.set(method, add(map.get(method) ?? []))
  Reflect.defineMetadata(key, map, target)
}

export function diagnosticsOf(decorated: Class): readonly RecordedDiagnostic[] {
  const targets = [...prototypeChain(decorated), ...classChain(decorated)]
  return targets.flatMap((target) => ownList<RecordedDiagnostic>(kDiagnostics, target))
}

export function reportRecorded(decorated: Class, diagnostics: Diagnostics): void {
  for (const { diagnostic } of diagnosticsOf(decorated)) diagnostics.add(diagnostic.code, diagnostic.message)
}

export function featureMethodsOf(controller: Class): ReadonlySet<string | symbol> {
  const invalid = diagnosticsOf(controller).flatMap(({ rejectedMethod }) =>
    rejectedMethod === undefined ? [] : [rejectedMethod],
  )
  return new Set([...featuresOf(controller).map(({ method }) => method), ...invalid])
}

export function recordController(controller: Class, options: ControllerOptions): void {
  Reflect.defineMetadata(kController, options, controller)
}

export function recordAccess(target: object, method: string | symbol | undefined, access: AuthorizationMetadata): void {
  addTo<AuthorizationMetadata>(kAccess, target, method, (own) => [...own, access])
}

export function recordParameterToken(
  prototype: object,
  method: string | symbol,
  index: number,
  token: ParameterToken,
): void {
  const own = (Reflect.getOwnMetadata(kParameterTokens, prototype, method) as ParameterTokens | undefined) ?? new Map()
  Reflect.defineMetadata(kParameterTokens, new Map([...own, [index, token]]), prototype, method)
}

export function recordHooks(
  target: object,
  method: string | symbol | undefined,
  hooks: readonly HookReference[],
): void {
  // Decorators run from last to first. The result has the order of the source code.
  addTo<HookReference>(kHooks, target, method, (own) => [...hooks, ...own])
}

function ownHooks(target: object): ReturnType<typeof ownMap<HookReference>> {
  return ownMap(kHooks, target)
}

/** Returns the hooks of a class and one of its methods. Inherited hooks come first, and cannot be removed. */
export function hooksOf(controller: Class, method: string | symbol): readonly HookReference[] {
  const prototypes = prototypeChain(controller).toReversed()
  const ofClass = prototypes.flatMap(({ constructor }) => ownHooks(constructor).get(undefined) ?? [])
  return [...ofClass, ...prototypes.flatMap((prototype) => ownHooks(prototype).get(method) ?? [])]
}

export function hookedMethodsOf(controller: Class): readonly (string | symbol)[] {
  const methods = prototypeChain(controller).flatMap((prototype) => [
    ...ownHooks(prototype.constructor).keys(),
    ...ownHooks(prototype).keys(),
  ])
  return methods.filter((method) => method !== undefined)
}

export function featuresOf(controller: Class): readonly FeatureMetadata[] {
  const features = new Map<Method, readonly FeatureMetadata[]>()
  for (const target of [controller, ...prototypeChain(controller)]) {
    for (const [method, own] of ownFeatures(target)) {
      if (!features.has(method)) features.set(method, own)
    }
  }
  return [...features.values()].flat()
}

export function otherCopyThatDecorated(controller: Class): Copy | undefined {
  return featuresOf(controller)
    .map(otherCopyOf)
    .find((copy) => copy !== undefined)
}

export function ownFeatures(target: object): ReadonlyMap<Method, readonly FeatureMetadata[]> {
  return ownMap<FeatureMetadata, Method>(kFeatures, target)
}

export function classAccess(controller: Class): readonly (readonly AuthorizationMetadata[])[] {
  return classChain(controller).map((target) => ownAuthorizationMetadata(target).get(undefined) ?? [])
}

export function methodAccess(
  controller: Class,
  method: string | symbol,
): readonly (readonly AuthorizationMetadata[])[] {
  return prototypeChain(controller).map((target) => ownAuthorizationMetadata(target).get(method) ?? [])
}

export function membersWithAccess(controller: Class): ReadonlySet<string | symbol> {
  const members = [...classChain(controller), ...prototypeChain(controller)].flatMap((target) => [
    ...ownAuthorizationMetadata(target).keys(),
  ])
  return new Set(members.filter((member) => member !== undefined))
}

function ownAuthorizationMetadata(target: object): ReturnType<typeof ownMap<AuthorizationMetadata>> {
  return ownMap(kAccess, target)
}

export function classChain(controller: Class): object[] {
  return chainOf(controller, Function.prototype)
}

export function prototypeChain(controller: Class): object[] {
  return chainOf(controller.prototype, Object.prototype)
}

/**
 * Lists an object and its prototypes, up to `end`. Also stops at a prototype of another type: under test runners, classes of Node
 * inherit from the `Function.prototype` of another realm.
 */
function chainOf(start: unknown, end: object): object[] {
  const chain: object[] = []
  let target = start
  while (typeof target === typeof start && target !== null && target !== undefined && target !== end) {
    chain.push(target)
    target = Object.getPrototypeOf(target)
  }
  return chain
}

export function controllerOptionsOf(controller: Class): ControllerOptions | undefined {
  return Reflect.getMetadata(kController, controller) as ControllerOptions | undefined
}

export function isAbstract(controller: Class): boolean {
  const own = Reflect.getOwnMetadata(kController, controller) as ControllerOptions | null | undefined
  return own?.abstract === true
}

export function parameterTokensOf(controller: Class, method: string | symbol): ParameterTokens {
  const prototype = controller.prototype as object
  return (Reflect.getMetadata(kParameterTokens, prototype, method) as ParameterTokens | undefined) ?? new Map()
}

/** Marks a class as decorated. If such a class has no emitted types, its file was compiled without metadata. */
export function recordDecorated(target: object): void {
  Reflect.defineMetadata(kDecorated, true, target)
}

export function isDecorated(target: Class): boolean {
  return [kDecorated, kController, kAccess, kHooks].some((key) => Reflect.hasOwnMetadata(key, target))
}
