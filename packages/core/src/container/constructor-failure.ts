import { toError } from '../errors/to-error.js'
import { describeToken } from './describe-token.js'
import { emptyValueOf } from './empty-value.js'
import type { Registration } from './registration.js'
import type { DependencyContainer, InjectionToken } from './tsyringe.js'

/** A constructor, or a factory, threw while a container made what it was asked for. */
export class ConstructorFailure extends Error {
  override readonly name = 'ConstructorFailure'
  /** What was thrown itself: its stack leads to the line. */
  readonly thrown: unknown

  constructor({ path, maker, thrown }: Failure) {
    const made = String(path.at(-1))
    const way = path.length > 1 ? `${path.join(' -> ')}: ` : ''
    super(`${way}${made} could not be made at boot, because its ${maker} threw: ${toError(thrown).message}`)
    this.thrown = thrown
  }
}

interface Failure {
  /** Names, from what was asked for to what could not be made. */
  readonly path: string[]
  readonly maker: 'constructor' | 'factory'
  readonly thrown: unknown
  /** What tsyringe throws in its place by now. */
  surfacedAs: unknown
}

/**
 * What tsyringe makes things with: `construct` and `resolveRegistration` run what the application wrote, and
 * `resolveParams` replaces what that threw by an error with its message only. There is no public way to see the first
 * error: tsyringe's version is pinned.
 */
interface Maker {
  /** Whether the container disposes instances itself, also those that tsyringe does not take for disposable. */
  disposesBySymbol?: boolean
  readonly disposables: Set<Disposed>
  construct: (this: Maker, target: NamedClass, context: unknown) => unknown
  resolveRegistration: (this: Maker, registration: Registration, context: unknown) => unknown
  resolveParams: (this: Maker, context: unknown, target: NamedClass) => ResolveParam
}

/** An instance that is disposed with its container. */
export interface Disposed {
  dispose?(): unknown
  [Symbol.asyncDispose]?(): unknown
  [Symbol.dispose]?(): unknown
}

type NamedClass = { readonly name: string }
type ResolveParam = (param: unknown, index: number) => unknown

/** Making is synchronous, so there is one at a time. */
let failure: Failure | null = null

function note(error: unknown, maker: Failure['maker'], path: string[]): void {
  // On its way out an error passes here more than once.
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
      if (this.disposesBySymbol === true) noteDisposable(this, target, instance as Disposed)
      return instance
    } catch (error) {
      note(error, 'constructor', [target.name])
      throw error
    }
  },

  resolveRegistration(registration, context) {
    const empty = emptyValueOf(registration)
    if (empty !== null) return empty.useValue
    try {
      return untraced(this).resolveRegistration.call(this, registration, context)
    } catch (error) {
      note(error, 'factory', [])
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
        passOn(error, param, target)
        throw error
      }
    }
  },
}

/** tsyringe knows the method `dispose` alone. */
function noteDisposable(container: Maker, target: unknown, instance: Disposed): void {
  // The class behind `delay` is created on first use, and reading a member is a use.
  if (typeof target !== 'function' || typeof instance.dispose === 'function') return
  const isDisposable =
    typeof instance[Symbol.asyncDispose] === 'function' || typeof instance[Symbol.dispose] === 'function'
  if (isDisposable) container.disposables.add(instance)
}

/** Called where tsyringe has just put an error of its own in the place of what was thrown. */
function passOn(error: unknown, param: unknown, target: NamedClass): void {
  if (failure === null) return
  if (failure.path.length === 0) failure.path.push(describeParam(param))
  failure.path.unshift(target.name)
  failure.surfacedAs = error
}

/** A bare token, or what `@inject` with options and `@injectAll` record. */
function describeParam(param: unknown): string {
  const isDescriptor = typeof param === 'object' && param !== null && 'token' in param
  return describeToken((isDescriptor ? param.token : param) as InjectionToken)
}

/**
 * Has a container remember what was thrown in it, for {@link resolveTraced}.
 *
 * @param isOwn Whether the server disposes the container, rather than the application.
 */
export function traceFailures(container: DependencyContainer, isOwn = false): DependencyContainer {
  const maker = container as unknown as Maker
  if (isOwn) maker.disposesBySymbol = true
  // Every call with a scope passes here, and `Object.assign` would take 70 ns more.
  maker.construct = tracing.construct
  maker.resolveRegistration = tracing.resolveRegistration
  maker.resolveParams = tracing.resolveParams
  return container
}

/**
 * Resolves in a container that remembers.
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
    // tsyringe's own: nothing of the application ran.
    if (failed === null || !Object.is(failed.surfacedAs, error)) throw error
    if (failed.path.length === 0) failed.path.push(describeToken(token))
    throw new ConstructorFailure(failed)
  }
}

/**
 * The same in a container of the application, which is as it was when this returns.
 *
 * @throws ConstructorFailure
 */
export function resolveTracedOnce(container: DependencyContainer, token: InjectionToken): unknown {
  // A constructor can boot a server of its own.
  if (Object.hasOwn(container, 'construct')) return resolveTraced(container, token)
  traceFailures(container)
  try {
    return resolveTraced(container, token)
  } finally {
    for (const name of Object.keys(tracing)) Reflect.deleteProperty(container, name)
  }
}
