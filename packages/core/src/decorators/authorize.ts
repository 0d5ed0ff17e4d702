import { describeValue } from '../errors/describe-value.js'
import type { AuthorizeOptions } from '../metadata/feature-options.js'
import { recordAccess, recordDiagnostic } from '../metadata/store.js'
import type { AuthorizationMetadata, Class } from '../metadata/types.js'
import { decoratorOrClass, isUncalled, nameOf, recordStandard } from './decorator-diagnostics.js'

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
 * Restricts a feature, or all features of a class, to authenticated callers that meet the requirements. The rules of a method, of
 * its class and of the base classes apply together.
 */
export function Authorize(options?: AuthorizeOptions): AccessDecorator
export function Authorize(options: AuthorizeOptions = {}, second?: unknown): AccessDecorator {
  const decorator = { call: '@Authorize()' }
  if (isUncalled(decorator, options, second)) return undefined as never
  const surplus = second === undefined ? undefined : `one object, but was given ${describeValue(second)} as well`
  return decoratorOrClass(options, decorator, record('@Authorize', { kind: 'authorize', options }, surplus))
}

/** Allows all callers, authenticated or not. On a method, this decorator replaces the rules of the class. */
export function AllowAnonymous(): AccessDecorator
export function AllowAnonymous(first?: unknown, second?: unknown): AccessDecorator {
  const decorator = { call: '@AllowAnonymous()' }
  if (isUncalled(decorator, first, second)) return undefined as never
  const surplus = first === undefined ? undefined : `no options, but was given ${describeValue(first)}`
  return decoratorOrClass(first, decorator, record('@AllowAnonymous', { kind: 'anonymous' }, surplus))
}

/** @param surplus End of the message "@Authorize takes …", which reports an argument without effect; `undefined`: no message. */
function record(decorator: string, access: AuthorizationMetadata, surplus: string | undefined): AccessDecorator {
  return (target: object, method?: string | symbol | object): void => {
    if (typeof method === 'object') return recordStandard(decorator, target, method)
    recordAccess(target, method, access)
    if (surplus === undefined) return
    const message = `${nameOf(target, method)}: ${decorator} takes ${surplus}. Remove that argument.`
    recordDiagnostic(target, { code: 'bad-authorization', message })
  }
}
