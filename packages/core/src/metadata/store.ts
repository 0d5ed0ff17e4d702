// The only file that uses Reflect. Metadata is stored on the decorated class; none is global.
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

// Registered symbols, so that boot finds metadata of another copy of this package, and reports it.
const kFeatures = Symbol.for('toolwright.features')
const kController = Symbol.for('toolwright.controller')
const kAccess = Symbol.for('toolwright.access')
const kHooks = Symbol.for('toolwright.hooks')
const kParameterTokens = Symbol.for('toolwright.parameterTokens')
const kDiagnostics = Symbol.for('toolwright.problems')
const kDecorated = Symbol.for('toolwright.decorated')

const recordListeners = new Set<(target: object) => void>()

/** Calls the listener with each class or prototype that is decorated. Returns a function that removes the listener. */
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
 * Records a problem that a decorator found. Boot reports it together with all other problems.
 *
 * @param target A class or a prototype.
 * @param missed The method that would be a feature. Its other decorators are then not reported as misplaced.
 */
export function recordDiagnostic(target: object, diagnostic: BootDiagnostic, missed?: string | symbol): void {
  for (const listener of recordListeners) listener(target)
  Reflect.defineMetadata(kDiagnostics, [...ownDiagnostics(target), { diagnostic, missed }], target)
}

function ownDiagnostics(target: object): readonly RecordedDiagnostic[] {
  return (Reflect.getOwnMetadata(kDiagnostics, target) as RecordedDiagnostic[] | undefined) ?? []
}

/** Returns the problems that decorators found in a class, including inherited problems. */
export function diagnosticsOf(decorated: Class): readonly RecordedDiagnostic[] {
  return [...prototypeChain(decorated), ...classChain(decorated)].flatMap(ownDiagnostics)
}

/** Reports the problems that decorators found in a class. */
export function reportRecorded(decorated: Class, diagnostics: Diagnostics): void {
  for (const { diagnostic } of diagnosticsOf(decorated)) diagnostics.add(diagnostic.code, diagnostic.message)
}

/** Lists the methods that would be features if their decorators were valid. */
export function missedFeaturesOf(controller: Class): readonly (string | symbol)[] {
  return diagnosticsOf(controller).flatMap(({ missed }) => (missed === undefined ? [] : [missed]))
}

export function recordController(controller: Class, options: ControllerOptions): void {
  Reflect.defineMetadata(kController, options, controller)
}

/** @param target A class; with a method, the prototype that has the method. */
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

/** @param target A class; with a method, the prototype that has the method. */
export function recordHooks(
  target: object,
  method: string | symbol | undefined,
  hooks: readonly HookReference[],
): void {
  const own = ownHooks(target).get(method) ?? []
  // Decorators run from last to first. The result is in the order of the source.
  Reflect.defineMetadata(kHooks, new Map([...ownHooks(target), [method, [...hooks, ...own]]]), target)
}

type RecordedHooks = ReadonlyMap<string | symbol | undefined, readonly HookReference[]>

function ownHooks(target: object): RecordedHooks {
  return (Reflect.getOwnMetadata(kHooks, target) as RecordedHooks | undefined) ?? new Map()
}

/** Returns the hooks of a class and one of its methods. Inherited hooks come first, and cannot be removed. */
export function hooksOf(controller: Class, method: string | symbol): readonly HookReference[] {
  const prototypes = prototypeChain(controller).toReversed()
  const ofClass = prototypes.flatMap(({ constructor }) => ownHooks(constructor).get(undefined) ?? [])
  return [...ofClass, ...prototypes.flatMap((prototype) => ownHooks(prototype).get(method) ?? [])]
}

/** Lists the methods with `@UseHooks`. */
export function hookedMethodsOf(controller: Class): readonly (string | symbol)[] {
  const methods = prototypeChain(controller).flatMap((prototype) => [
    ...ownHooks(prototype.constructor).keys(),
    ...ownHooks(prototype).keys(),
  ])
  return methods.filter((method) => method !== undefined)
}

/** Returns the features of a class, including inherited features. A subclass that decorates a method again takes precedence. */
export function featuresOf(controller: Class): readonly FeatureMetadata[] {
  const features = new Map<string | symbol, FeatureMetadata[]>()
  for (const target of [controller, ...prototypeChain(controller)]) {
    for (const [method, own] of ownFeatures(target)) {
      if (!features.has(method)) features.set(method, own)
    }
  }
  return [...features.values()].flat()
}

/** Finds the other copy of this package that recorded a feature of the class. */
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

/** Returns the authorization of a class: first its own, then its base class's, and so on. */
export function classAccess(controller: Class): readonly (readonly AuthorizationMetadata[])[] {
  return classChain(controller).map((target) => ownAuthorizationMetadata(target).get(undefined) ?? [])
}

/** Returns the authorization of a method: first of the class, then of its base class, and so on. */
export function methodAccess(
  controller: Class,
  method: string | symbol,
): readonly (readonly AuthorizationMetadata[])[] {
  return prototypeChain(controller).map((target) => ownAuthorizationMetadata(target).get(method) ?? [])
}

/** Returns all members of the class, including static members, with `@Authorize` or `@AllowAnonymous`. */
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

/** Lists the prototypes from the class upwards, without `Object.prototype`. */
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

/** Whether the class itself is marked as abstract. Subclasses do not inherit the mark. */
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

/** Whether a prototype declares the types of a method. An override without a decorator inherits them. */
function declaresTypes(prototype: object, method: string | symbol): boolean {
  return Reflect.hasOwnMetadata('design:paramtypes', prototype, method) || ownFeatures(prototype).has(method)
}

/** Whether the compiler emitted parameter types, but no return type. Other compilers emit unknown return types as well. */
export function lacksReturnType(controller: Class, method: string | symbol): boolean {
  const owner = prototypeChain(controller).find((prototype) => declaresTypes(prototype, method))
  if (owner === undefined || !Reflect.hasOwnMetadata('design:paramtypes', owner, method)) return false
  return !Reflect.hasOwnMetadata('design:returntype', owner, method)
}

/** The constructor that runs for a class, and the known types of its parameters. */
export interface ConstructorMetadata {
  /** The class itself, or the nearest class above it that declares the parameters. */
  readonly owner: Class
  /** Types that the compiler emitted, or tokens of `@Inject` instead; `undefined` when there are neither. */
  readonly types: readonly unknown[] | undefined
  /** Indexes of parameters with neither a type nor a token, if other parameters have a token. */
  readonly unknown: readonly number[]
}

/** Reads own metadata only: the types of a base class do not apply to a constructor of a subclass. */
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

/**
 * Whether a class declares parameters of its constructor. The `length` of a base function, such as Node's `EventEmitter`, is
 * ignored, because it counts optional parameters.
 */
function declaresParameters(declaring: Class, target: Class): boolean {
  if (declaring.length > 0) return declaring === target || isClass(declaring)
  return Reflect.hasOwnMetadata('design:paramtypes', declaring) || ownInjectionTokens(declaring) !== undefined
}

/**
 * Whether a class has no constructor, or only a constructor that passes all arguments on. Compilers emit such a constructor
 * to initialize fields.
 */
function isConstructorInherited(target: Class): boolean {
  const source = Function.prototype.toString.call(target)
  const declared = /(?:^|[{};])\s*constructor\s*\((\s*\.{3})?/m.exec(source)
  return declared === null || declared[1] !== undefined || source.includes('super(...arguments)')
}

/** Reads the tokens that tsyringe records for `@inject`, by index. */
function ownInjectionTokens(target: Class): Readonly<Record<string, unknown>> | undefined {
  return Reflect.getOwnMetadata('injectionTokens', target) as Readonly<Record<string, unknown>> | undefined
}

/** Copies the types of an inherited constructor to a class: tsyringe does not read the tokens of a base class. */
export function adoptConstructorTypes(target: Class, types: readonly unknown[]): void {
  if (!Reflect.hasOwnMetadata('design:paramtypes', target)) {
    Reflect.defineMetadata('design:paramtypes', [...types], target)
  }
}

/** Marks a class as decorated: a compiler with metadata would have emitted types for it. */
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
