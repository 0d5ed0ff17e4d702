import { recordAccess } from '../metadata/store.js'
import type { AccessMark, AuthorizeOptions, Class } from '../metadata/types.js'
import { isUncalled, recordStandard, standInFor } from './decorator-problems.js'

/** A decorator for classes with features, and for methods that are features. */
export interface AccessDecorator {
  (controller: Class): void
  <Method extends (...args: never[]) => unknown>(
    prototype: object,
    method: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void
}

/**
 * Lets in only callers who are authenticated and have what the options ask for, on one feature or on all of a class.
 * What is said about a method, about its class and about the classes that it extends holds together.
 */
export function Authorize(options?: AuthorizeOptions): AccessDecorator
export function Authorize(options: AuthorizeOptions = {}, second?: unknown): AccessDecorator {
  const decorator = { call: '@Authorize()' }
  if (isUncalled(decorator, options, second)) return undefined as never
  return standInFor(options, decorator, record('@Authorize', { kind: 'authorize', options }))
}

/** Lets everybody in, also callers who are not authenticated. On a method it lifts what is said about the class. */
export function AllowAnonymous(): AccessDecorator
export function AllowAnonymous(first?: unknown, second?: unknown): AccessDecorator {
  const decorator = { call: '@AllowAnonymous()' }
  if (isUncalled(decorator, first, second)) return undefined as never
  return standInFor(first, decorator, record('@AllowAnonymous', { kind: 'anonymous' }))
}

function record(decorator: string, mark: AccessMark): AccessDecorator {
  return (target: object, method?: string | symbol | object): void => {
    if (typeof method === 'object') recordStandard(decorator, target, method)
    else recordAccess(target, method, mark)
  }
}
