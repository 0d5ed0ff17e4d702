import { toError } from '../errors/to-error.js'
import { describeToken, emptyValueOf, type Registration } from './registration.js'
import type { DependencyContainer, InjectionToken } from './tsyringe.js'

export class ConstructorFailure extends Error {
  override readonly name = 'ConstructorFailure'
  readonly thrown: unknown

  constructor({ path, maker, thrown }: Failure) {
    const failed = String(path.at(-1))
    const prefix = path.length > 1 ? `${path.join(' -> ')}: ` : ''
    super(`${prefix}${failed} could not be created at boot, because its ${maker} threw: ${toError(thrown).message}`)
    this.thrown = thrown
  }
}

interface Failure {
  readonly path: string[]
  readonly maker: 'constructor' | 'factory'
  readonly thrown: unknown
  surfacedAs: unknown
}

/**
 * The internals of a tsyringe container. `construct` and `resolveRegistration` run code of the application. If this code throws,
 * `resolveParams` throws a new error with only the message. No public API of tsyringe has the original error, so the version of
 * tsyringe is pinned.
 */
interface Maker {
  disposesBySymbol?: boolean
  readonly disposables: Set<Disposed>
  construct: (this: Maker, target: NamedClass, context: unknown) => unknown
  resolveRegistration: (this: Maker, registration: Registration, context: unknown) => unknown
  resolveParams: (this: Maker, context: unknown, target: NamedClass) => ResolveParam
}

export interface Disposed {
  dispose?(): unknown
  [Symbol.asyncDispose]?(): unknown
  [Symbol.dispose]?(): unknown
}

type NamedClass = { readonly name: string }
type ResolveParam = (param: unknown, index: number) => unknown

let failure: Failure | null = null

function recordFailure(error: unknown, maker: Failure['maker'], path: string[]): void {
  // A propagating error reaches this line more than once. Only the original error is recorded.
  if (failure !== null && Object.is(failure.surfacedAs, error)) return
  failure = { path, maker, thrown: error, surfacedAs: error }
}

function untraced(container: Maker): Maker {
  return Object.getPrototypeOf(container) as Maker
}

const tracing: Pick<Maker, 'construct' | 'resolveRegistration' | 'resolveParams'> = {
  construct(target, context) {
    try {
      const instance = untraced(this).construct.call(this, target, context)
      if (this.disposesBySymbol === true) recordDisposable(this, target, instance as Disposed)
      return instance
    } catch (error) {
      recordFailure(error, 'constructor', [target.name])
      throw error
    }
  },

  resolveRegistration(registration, context) {
    const empty = emptyValueOf(registration)
    if (empty !== null) return empty.useValue
    try {
      return untraced(this).resolveRegistration.call(this, registration, context)
    } catch (error) {
      recordFailure(error, 'factory', [])
      throw error
    }
  },

  resolveParams(context, target) {
    const resolveParam = untraced(this).resolveParams.call(this, context, target)
    return (param, index) => {
      failure = null
      try {
        return resolveParam(param, index)
      } catch (error) {
        extendPath(error, param, target)
        throw error
      }
    }
  },
}

/** Registers an instance that is disposable by symbol: tsyringe itself supports only the method `dispose`. */
function recordDisposable(container: Maker, target: unknown, instance: Disposed): void {
  // Skips instances of `delay`, which are created on first use: reading a member would create them.
  if (typeof target !== 'function' || typeof instance.dispose === 'function') return
  const isDisposable =
    typeof instance[Symbol.asyncDispose] === 'function' || typeof instance[Symbol.dispose] === 'function'
  if (isDisposable) container.disposables.add(instance)
}

function extendPath(error: unknown, param: unknown, target: NamedClass): void {
  if (failure === null) return
  if (failure.path.length === 0) failure.path.push(describeParam(param))
  failure.path.unshift(target.name)
  failure.surfacedAs = error
}

function describeParam(param: unknown): string {
  const isDescriptor = typeof param === 'object' && param !== null && 'token' in param
  return describeToken((isDescriptor ? param.token : param) as InjectionToken)
}

/**
 * Patches a container to record original errors, for {@link resolveTraced}.
 *
 * @param isOwn Whether the server, not the application, disposes the container.
 */
export function traceFailures(container: DependencyContainer, isOwn = false): DependencyContainer {
  const maker = container as unknown as Maker
  if (isOwn) maker.disposesBySymbol = true
  // Three assignments, because `Object.assign` takes 70 ns more: every call with a scope patches a container.
  maker.construct = tracing.construct
  maker.resolveRegistration = tracing.resolveRegistration
  maker.resolveParams = tracing.resolveParams
  return container
}

/**
 * Resolves a token in a container that {@link traceFailures} has patched.
 *
 * @throws ConstructorFailure
 */
export function resolveTraced(container: DependencyContainer, token: InjectionToken): unknown {
  failure = null
  try {
    return container.resolve(token)
  } catch (error) {
    const failed = failure as Failure | null
    failure = null
    // An error of tsyringe itself: no code of the application failed.
    if (failed === null || !Object.is(failed.surfacedAs, error)) throw error
    if (failed.path.length === 0) failed.path.push(describeToken(token))
    throw new ConstructorFailure(failed)
  }
}

/**
 * Resolves a token in a container of the application, which is patched only during the call.
 *
 * @throws ConstructorFailure
 */
export function resolveTracedOnce(container: DependencyContainer, token: InjectionToken): unknown {
  // The container is already patched in a nested call: a constructor can boot another server.
  if (Object.hasOwn(container, 'construct')) return resolveTraced(container, token)
  traceFailures(container)
  try {
    return resolveTraced(container, token)
  } finally {
    for (const name of Object.keys(tracing)) Reflect.deleteProperty(container, name)
  }
}
