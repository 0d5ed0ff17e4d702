import type { HookReference } from '../hooks/call-hook.js'
import { recordHooks } from '../metadata/store.js'
import { standardDecorators } from './record-method.js'

/**
 * Runs hooks with each call: on a class for all its features, on a method for that one. Those of the server come first,
 * then those of the class, then those of the method. One that is given more than once runs once, where it came first.
 *
 * @param hooks Classes, whose one instance is made at boot with what it has injected, or objects.
 */
export function UseHooks(...hooks: readonly HookReference[]) {
  return (target: object, method?: string | symbol, _descriptor?: PropertyDescriptor): void => {
    // As a standard decorator it is called with a context object instead of the method's name.
    if (typeof method === 'object') throw standardDecorators('@UseHooks', method)
    recordHooks(target, method, hooks)
  }
}
