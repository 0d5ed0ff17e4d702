import { type HookReference, hookMembers, isCallHook } from '../hooks/call-hook.js'
import { featuresOf, recordDiagnostic, recordHooks } from '../metadata/store.js'
import { isClass } from '../metadata/types.js'
import { decoratorOrClass, isUncalled, nameOf, recordStandard } from './decorator-diagnostics.js'

const decorator = { call: '@UseHooks(MyHook)' }

/**
 * Runs hooks with each call. Hooks on a class apply to all features of the class. Hooks on a method apply only to that feature.
 * The hooks of the server run first, then the hooks of the class, then the hooks of the method. A duplicate hook runs once, at
 * its first position.
 *
 * @param hooks Objects, or classes that are instantiated at boot with injected dependencies. At least one hook is required.
 */
export function UseHooks(...hooks: readonly HookReference[]) {
  const [first, second] = hooks as readonly unknown[]
  if (!isCallHook(second) && isUncalled(decorator, first, second)) return undefined as never
  const decorate = (target: object, method?: string | symbol, _descriptor?: PropertyDescriptor): void => {
    if (typeof method === 'object') recordStandard('@UseHooks', target, method)
    else if (hooks.length > 0) recordHooks(target, method, hooks)
    else {
      const message = `${nameOf(target, method)}: @UseHooks() names no hook. Write ${decorator.call}, or remove it.`
      recordDiagnostic(target, { code: 'bad-hook', message })
    }
  }
  return hooks.length === 1 && isController(first) ? decoratorOrClass(first, decorator, decorate) : decorate
}

function isController(value: unknown): boolean {
  if (!isClass(value) || featuresOf(value).length === 0) return false
  return !hookMembers.some((member) => member in (value.prototype as object))
}
