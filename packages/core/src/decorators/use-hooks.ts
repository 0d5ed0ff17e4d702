import { type HookReference, hookMembers, isCallHook } from '../hooks/call-hook.js'
import { featuresOf, recordHooks } from '../metadata/store.js'
import type { Class } from '../metadata/types.js'
import { requireCall, requireCallOnClass, standardDecorators } from './record-method.js'

/**
 * Runs hooks with each call: on a class for all its features, on a method for that one. Those of the server come first,
 * then those of the class, then those of the method. One that is given more than once runs once, where it came first.
 *
 * @param hooks Classes, whose one instance is made at boot with what it has injected, or objects.
 */
export function UseHooks(...hooks: readonly HookReference[]) {
  requireHooks(hooks)
  return (target: object, method?: string | symbol, _descriptor?: PropertyDescriptor): void => {
    // As a standard decorator it is called with a context object instead of the method's name.
    if (typeof method === 'object') throw standardDecorators('@UseHooks', method)
    recordHooks(target, method, hooks)
  }
}

const call = '@UseHooks(MyHook)'

/** Without parentheses it is called with what it decorates, in the place of hooks. */
function requireHooks([first, second]: readonly unknown[]): void {
  if (!isCallHook(second)) requireCall(call, first, second)
  if (second === undefined && isController(first)) requireCallOnClass(call, first)
}

/** A class with features that are decorated by now, and not one that is a hook besides. */
function isController(value: unknown): boolean {
  if (typeof value !== 'function' || featuresOf(value as Class).length === 0) return false
  const { prototype } = value as Class & { readonly prototype: object }
  return !hookMembers.some((member) => member in prototype)
}
