import type { BootDiagnostic } from '../errors/boot-error.js'
import { describeValue } from '../errors/describe-value.js'
import type { AuthorizeOptions } from '../metadata/feature-options.js'
import { recordAccess, recordDiagnostic } from '../metadata/store.js'
import type { AuthorizationMetadata, Class } from '../metadata/types.js'
import { isUncalled, nameOf, recordStandard, standInFor } from './decorator-diagnostics.js'

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
  const surplus = second === undefined ? undefined : `one object, but was given ${describeValue(second)} as well`
  return standInFor(options, decorator, record('@Authorize', { kind: 'authorize', options }, surplus))
}

/** Lets everybody in, also callers who are not authenticated. On a method it lifts what is said about the class. */
export function AllowAnonymous(): AccessDecorator
export function AllowAnonymous(first?: unknown, second?: unknown): AccessDecorator {
  const decorator = { call: '@AllowAnonymous()' }
  if (isUncalled(decorator, first, second)) return undefined as never
  const surplus = first === undefined ? undefined : `no options, but was given ${describeValue(first)}`
  return standInFor(first, decorator, record('@AllowAnonymous', { kind: 'anonymous' }, surplus))
}

/** @param surplus What it takes and was given too much of: it would not hold, and its author would think that it does. */
function record(decorator: string, mark: AuthorizationMetadata, surplus: string | undefined): AccessDecorator {
  return (target: object, method?: string | symbol | object): void => {
    if (typeof method === 'object') recordStandard(decorator, target, method)
    else {
      recordAccess(target, method, mark)
      if (surplus !== undefined) recordDiagnostic(target, takesLess(`${nameOf(target, method)}: ${decorator}`, surplus))
    }
  }
}

function takesLess(decorated: string, surplus: string): BootDiagnostic {
  return { code: 'bad-authorization', message: `${decorated} takes ${surplus}. Remove that.` }
}
