import { injectable } from '../container/tsyringe.js'
import type { ControllerOptions } from '../metadata/feature-options.js'
import { recordController, recordDiagnostic } from '../metadata/store.js'
import type { Class } from '../metadata/types.js'
import { decoratorOrClass, isUncalled, misplaced, nameOf, recordStandard } from './decorator-diagnostics.js'

const decorator = { call: '@McpController()' }

/** Sets options that all features of a class share, and makes the class injectable. The decorator is optional. */
export function McpController(options?: ControllerOptions): (controller: Class) => void
export function McpController(options: ControllerOptions = {}, second?: unknown): (controller: Class) => void {
  if (isOnMethod(options, second) || isUncalled(decorator, options, second)) return undefined as never
  return decoratorOrClass(options, decorator, (controller: Class, method?: unknown) => {
    if (isOnMethod(controller, method)) return
    if (typeof method === 'object' && method !== null) recordStandard('@McpController', controller, method)
    injectable()(controller as new () => object)
    recordController(controller, options)
  })
}

/**
 * Whether the decorator is on a method, where it has no effect. Also reports such a decorator at boot, because some runners do
 * not check types.
 */
function isOnMethod(target: object, method: unknown): boolean {
  if (typeof method !== 'string' && typeof method !== 'symbol') return false
  recordDiagnostic(target, misplaced('@McpController', nameOf(target, method), 'Put it on the class'))
  return true
}
