import { injectable } from '../container/tsyringe.js'
import { recordController } from '../metadata/store.js'
import type { Class, ControllerOptions } from '../metadata/types.js'
import { misplaced, nameOf, requireCallOnClass } from './record-method.js'

/** Optional on a class with features: makes it injectable and holds what all its features share. */
export function McpController(options?: ControllerOptions): (controller: Class) => void
export function McpController(options: ControllerOptions = {}, second?: unknown): (controller: Class) => void {
  requireCallOnClass('@McpController()', options)
  requireClass(options, second)
  return (controller: Class, method?: unknown) => {
    requireClass(controller, method)
    injectable()(controller as new () => object)
    recordController(controller, options)
  }
}

/** A runner that strips types lets it be on a method, where it would do nothing. */
function requireClass(target: object, method: unknown): void {
  if (typeof method !== 'string' && typeof method !== 'symbol') return
  throw misplaced('@McpController', nameOf(target, method), 'Put it on the class')
}
