// The only file that touches Reflect: metadata lives on the decorated class, nothing is global.
import '../container/tsyringe.js'
import { type Copy, otherCopyOf, ownedHere } from '../copies/copies.js'
import type { BootDiagnostic } from '../errors/boot-error.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import type { HookReference } from '../hooks/call-hook.js'
import type { ControllerOptions } from './feature-options.js'
import type {
  AuthorizationMetadata,
  AuthorizationMetadataChain,
  Class,
  EmittedTypes,
  FeatureMetadata,
  ParameterToken,
  ParameterTokens,
  RecordedDiagnostic,
} from './types.js'
import { isClass } from './types.js'

// Registered symbols: what another copy of this package recorded is seen, and told about, instead of missing.
const kFeatures = Symbol.for('toolwright.features')
const kController = Symbol.for('toolwright.controller')
const kAccess = Symbol.for('toolwright.access')
const kHooks = Symbol.for('toolwright.hooks')
const kParameterTokens = Symbol.for('toolwright.parameterTokens')
const kDiagnostics = Symbol.for('toolwright.problems')
const kDecorated = Symbol.for('toolwright.decorated')

const recordListeners = new Set<(target: object) => void>()

/** Calls back with each class or prototype that something is recorded on, until the function that it returns is called. */
export function watchRecords(listener: (target: object) => void): () => void {
  recordListeners.add(listener)
  return () => recordListeners.delete(listener)
}

export function recordFeature(target: object, feature: FeatureMetadata): void {
  for (const listener of recordListeners) listener(target)
  ownedHere(feature)
  const own = (Reflect.getOwnMetadata(kFeatures, target) as FeatureMetadata[] | undefined) ?? []
  Reflect.defineMetadata(kFeatures, [...own, feature], target)
}

/**
 * Keeps what a decorator found wrong for boot, which reports it with everything else.
 *
 * @param target A class, or the prototype of one.
 * @param missed The method that would be a feature: that it is none is then no problem of its own.
 */
export function recordDiagnostic(target: object, diagnostic: BootDiagnostic, missed?: string | symbol): void {
  for (const listener of recordListeners) listener(target)
  Reflect.defineMetadata(kDiagnostics, [...ownDiagnostics(target), { diagnostic, missed }], target)
}

function ownDiagnostics(target: object): readonly RecordedDiagnostic[] {
  return (Reflect.getOwnMetadata(kDiagnostics, target) as RecordedDiagnostic[] | undefined) ?? []
}

/** What decorators found wrong with a class, inherited mistakes included. */
export function diagnosticsOf(decorated: Class): readonly RecordedDiagnostic[] {
  return [...prototypeChain(decorated), ...classChain(decorated)].flatMap(ownDiagnostics)
}

/** Reports what decorators found wrong with a class. */
export function reportRecorded(decorated: Class, diagnostics: Diagnostics): void {
  for (const { diagnostic } of diagnosticsOf(decorated)) diagnostics.add(diagnostic.code, diagnostic.message)
}

/** The methods that would be features, were their decorators right. */
export function missedFeaturesOf(controller: Class): readonly (string | symbol)[] {
  return diagnosticsOf(controller).flatMap(({ missed }) => (missed === undefined ? [] : [missed]))
}

export function recordController(controller: Class, options: ControllerOptions): void {
  Reflect.defineMetadata(kController, options, controller)
}

/** @param target A class, or the prototype whose method is named. */
export function recordAccess(target: object, method: string | symbol | undefined, mark: AuthorizationMetadata): void {
  const own = ownAuthorizationMetadata(target)
  Reflect.defineMetadata(kAccess, new Map([...own, [method, [...(own.get(method) ?? []), mark]]]), target)
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

/** @param target A class, or with a method the prototype that has it. */
export function recordHooks(
  target: object,
  method: string | symbol | undefined,
  hooks: readonly HookReference[],
): void {
  const own = ownHooks(target).get(method) ?? []
  // Decorators run from the last to the first: what is written first comes first.
  Reflect.defineMetadata(kHooks, new Map([...ownHooks(target), [method, [...hooks, ...own]]]), target)
}

type RecordedHooks = ReadonlyMap<string | symbol | undefined, readonly HookReference[]>

function ownHooks(target: object): RecordedHooks {
  return (Reflect.getOwnMetadata(kHooks, target) as RecordedHooks | undefined) ?? new Map()
}

/** The hooks of a class and one of its methods; inherited ones come first, and cannot be shaken off. */
export function hooksOf(controller: Class, method: string | symbol): readonly HookReference[] {
  const prototypes = prototypeChain(controller).toReversed()
  const ofClass = prototypes.flatMap(({ constructor }) => ownHooks(constructor).get(undefined) ?? [])
  return [...ofClass, ...prototypes.flatMap((prototype) => ownHooks(prototype).get(method) ?? [])]
}

/** The methods that have hooks of their own. */
export function hookedMethodsOf(controller: Class): readonly (string | symbol)[] {
  const methods = prototypeChain(controller).flatMap((prototype) => [
    ...ownHooks(prototype.constructor).keys(),
    ...ownHooks(prototype).keys(),
  ])
  return methods.filter((method) => method !== undefined)
}

/** The features of a class, inherited ones included; a subclass that decorates the same method again wins. */
export function featuresOf(controller: Class): readonly FeatureMetadata[] {
  const features = new Map<string | symbol, FeatureMetadata[]>()
  for (const target of [controller, ...prototypeChain(controller)]) {
    for (const [method, own] of ownFeatures(target)) {
      if (!features.has(method)) features.set(method, own)
    }
  }
  return [...features.values()].flat()
}

/** The other copy of this package that recorded a feature of the class. */
export function otherCopyThatDecorated(controller: Class): Copy | undefined {
  for (const feature of featuresOf(controller)) {
    const other = otherCopyOf(feature)
    if (other !== undefined) return other
  }
  return undefined
}

function ownFeatures(target: object): ReadonlyMap<string | symbol, FeatureMetadata[]> {
  const own = (Reflect.getOwnMetadata(kFeatures, target) as FeatureMetadata[] | undefined) ?? []
  const byMethod = new Map<string | symbol, FeatureMetadata[]>()
  for (const feature of own) {
    const ofMethod = byMethod.get(feature.method)
    if (ofMethod === undefined) byMethod.set(feature.method, [feature])
    else ofMethod.push(feature)
  }
  return byMethod
}

/** What was said about a class: by itself, by the class that it extends, and so on. */
export function classAccess(controller: Class): readonly (readonly AuthorizationMetadata[])[] {
  return classChain(controller).map((target) => ownAuthorizationMetadata(target).get(undefined) ?? [])
}

/** What was said about a method: by the class, by the class that it extends, and so on. */
export function methodAccess(
  controller: Class,
  method: string | symbol,
): readonly (readonly AuthorizationMetadata[])[] {
  return prototypeChain(controller).map((target) => ownAuthorizationMetadata(target).get(method) ?? [])
}

/** Every member of the class, static ones included, about whose access something was said. */
export function membersWithAccess(controller: Class): ReadonlySet<string | symbol> {
  const members = [...classChain(controller), ...prototypeChain(controller)].flatMap((target) => [
    ...ownAuthorizationMetadata(target).keys(),
  ])
  return new Set(members.filter((member) => member !== undefined))
}

function ownAuthorizationMetadata(target: object): AuthorizationMetadataChain {
  return (Reflect.getOwnMetadata(kAccess, target) as AuthorizationMetadataChain | undefined) ?? new Map()
}

function classChain(controller: Class): object[] {
  const chain: object[] = []
  let target: unknown = controller
  while (typeof target === 'function' && target !== Function.prototype) {
    chain.push(target)
    target = Object.getPrototypeOf(target)
  }
  return chain
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

/** Whether the class itself is marked as abstract: its subclasses do not inherit the mark. */
export function isAbstract(controller: Class): boolean {
  const own = Reflect.getOwnMetadata(kController, controller) as ControllerOptions | null | undefined
  return own?.abstract === true
}

export function parameterTokensOf(controller: Class, method: string | symbol): ParameterTokens {
  const tokens = Reflect.getMetadata(kParameterTokens, prototypeOf(controller), method) as ParameterTokens | undefined
  return tokens ?? new Map()
}

export function emittedMethodTypes(controller: Class, method: string | symbol): EmittedTypes {
  const owner = prototypeChain(controller).find((prototype) => declaresTypes(prototype, method))
  if (owner === undefined) return { parameters: undefined, returns: undefined }
  return {
    parameters: Reflect.getOwnMetadata('design:paramtypes', owner, method) as unknown[] | undefined,
    returns: Reflect.getOwnMetadata('design:returntype', owner, method) as unknown,
  }
}

/** An override has the types of the method above it, unless it is decorated. */
function declaresTypes(prototype: object, method: string | symbol): boolean {
  return Reflect.hasOwnMetadata('design:paramtypes', prototype, method) || ownFeatures(prototype).has(method)
}

/** Whether the compiler emitted the types of parameters and left out return types, which others write down as unknown. */
export function lacksReturnType(controller: Class, method: string | symbol): boolean {
  const owner = prototypeChain(controller).find((prototype) => declaresTypes(prototype, method))
  if (owner === undefined || !Reflect.hasOwnMetadata('design:paramtypes', owner, method)) return false
  return !Reflect.hasOwnMetadata('design:returntype', owner, method)
}

/** The constructor that runs for a class, and what is known of its parameters. */
export interface ConstructorMetadata {
  /** The class itself, or the nearest class above it that declares the parameters. */
  readonly owner: Class
  /** Types that the compiler emitted, with tokens of `@Inject` in their places; `undefined` when there are neither. */
  readonly types: readonly unknown[] | undefined
  /** Parameters with neither, next to others that have a token. */
  readonly unknown: readonly number[]
}

/** Reads own metadata only: the types of a base class say nothing about the constructor of a subclass. */
export function constructorOf(target: Class): ConstructorMetadata {
  const owner = ownerOfConstructor(target)
  const types = Reflect.getOwnMetadata('design:paramtypes', owner) as readonly unknown[] | undefined
  const tokens = Object.entries(ownInjectionTokens(owner) ?? {})
  if (types === undefined && tokens.length === 0) return { owner, types, unknown: [] }
  const merged = [...(types ?? [])]
  for (const [index, token] of tokens) merged[Number(index)] = token
  const count = Math.max(merged.length, types === undefined ? owner.length : 0)
  const unknown = Array.from({ length: count }, (_, index) => index).filter((index) => !(index in merged))
  return { owner, types: merged, unknown }
}

function ownerOfConstructor(target: Class): Class {
  const chain = classChain(target) as Class[]
  return chain.find((each) => declaresParameters(each, target) || !isConstructorInherited(each)) ?? target
}

/** Functions further up, such as Node's `EventEmitter`, count options that can be left out. */
function declaresParameters(declaring: Class, target: Class): boolean {
  if (declaring.length > 0) return declaring === target || isClass(declaring)
  return Reflect.hasOwnMetadata('design:paramtypes', declaring) || ownInjectionTokens(declaring) !== undefined
}

/**
 * Whether a class without constructor parameters passes all arguments on. Compilers write such a constructor to
 * set fields.
 */
function isConstructorInherited(target: Class): boolean {
  const source = Function.prototype.toString.call(target)
  const declared = /(?:^|[{};])\s*constructor\s*\((\s*\.{3})?/m.exec(source)
  return declared === null || declared[1] !== undefined || source.includes('super(...arguments)')
}

/** Tokens that tsyringe records for `@inject`, by index. */
function ownInjectionTokens(target: Class): Readonly<Record<string, unknown>> | undefined {
  return Reflect.getOwnMetadata('injectionTokens', target) as Readonly<Record<string, unknown>> | undefined
}

/** Gives a class the types of the constructor that it inherits: tsyringe does not look for the tokens of a base class. */
export function adoptConstructorTypes(target: Class, types: readonly unknown[]): void {
  if (!Reflect.hasOwnMetadata('design:paramtypes', target)) {
    Reflect.defineMetadata('design:paramtypes', [...types], target)
  }
}

/** Notes that a class has a decorator, for which a compiler with metadata would have emitted types. */
export function recordDecorated(target: object): void {
  Reflect.defineMetadata(kDecorated, true, target)
}

/**
 * Whether the file of a class was compiled with metadata; `undefined` for a class without decorators. The modules of a
 * program can come from several compilers.
 */
export function hasMetadata(target: Class): boolean | undefined {
  const methods = [...ownFeatures(prototypeOf(target)).keys()]
  const emitted = methods.map((method) => Reflect.hasOwnMetadata('design:paramtypes', prototypeOf(target), method))
  if (emitted.length > 0) return emitted.includes(true)
  const marks = [kDecorated, kController, kAccess, kHooks]
  return marks.some((mark) => Reflect.hasOwnMetadata(mark, target)) ? false : undefined
}

function prototypeOf(controller: Class): object {
  return controller.prototype as object
}
