import type { InjectionToken } from '../container/tsyringe.js'
import * as tsyringe from '../container/tsyringe.js'
import { recordDecorated, recordDiagnostic, recordParameterToken } from '../metadata/store.js'
import { isUncalled, misplaced, nameOf, recordStandard, uncalled } from './decorator-diagnostics.js'

const call = '@Inject(token)'

export interface InjectOptions {
  /**
   * Whether to inject `undefined` for a string or symbol token without a registration. If `false`, a missing registration
   * prevents the server from starting. Default: `false`.
   */
  readonly isOptional?: boolean
}

/**
 * Sets the token to inject into a parameter of a method or of a constructor. Required when the type is an interface, or when
 * the compiler emits no decorator metadata (tsx, esbuild).
 */
export function Inject(token: InjectionToken, options?: InjectOptions): ParameterDecorator
export function Inject(
  token: InjectionToken,
  second?: string | symbol | InjectOptions,
  index?: number,
): ParameterDecorator {
  // A call with an index means `@Inject` without parentheses. The return value of such a call is ignored.
  if (typeof index === 'number') {
    recordDiagnostic(token as object, uncalled(call, `${nameOf(token, second as string)}, parameter ${index + 1}`))
    return undefined as never
  }
  if (isUncalled({ call }, token, second)) return undefined as never
  const isOptional = typeof second === 'object' && second.isOptional === true
  return (target: object, method: string | symbol | object | undefined, position: unknown) => {
    if (typeof method === 'object') recordStandard('@Inject', target, method)
    else if (typeof position !== 'number') {
      recordDiagnostic(target, misplaced('@Inject', nameOf(target, method), 'Put it on a parameter'))
    } else if (method === undefined) tsyringe.inject(token, { isOptional })(target, method, position)
    else recordParameterToken(target, method, position, { token, isOptional })
  }
}

/** Alias of `Inject`, for code that uses tsyringe's name. tsyringe's own decorator has no effect on parameters of methods. */
export const inject = Inject

/** Injects all registrations of a token, as an array, into a parameter of a constructor. */
export function injectAll(token: InjectionToken, options?: InjectOptions): ParameterDecorator {
  return (target, method, position) => {
    const fix = 'Put it on a parameter of the constructor'
    if (method === undefined) tsyringe.injectAll(token, options)(target, method, position)
    else recordDiagnostic(target, misplaced('@injectAll', nameOf(target, method), fix))
  }
}

type ClassDecoratorFactory = (...options: never[]) => (target: never) => void

function recording<Factory extends ClassDecoratorFactory>(factory: Factory): Factory {
  const decorate = (...options: never[]) => {
    const decorator = factory(...options)
    return (target: never): void => {
      recordDecorated(target)
      decorator(target)
    }
  }
  return decorate as Factory
}

/** Enables injection into the constructor of a class. Each injection of the class creates a new instance. */
export const injectable = recording(tsyringe.injectable)

/** Creates one instance of a class for all calls. */
export const singleton = recording(tsyringe.singleton)

/** Creates one instance of a class for each scope: with `Lifecycle.ContainerScoped`, one instance for each call. */
export const scoped = recording(tsyringe.scoped)
