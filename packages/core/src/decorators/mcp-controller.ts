import { injectable } from '../container/tsyringe.js'
import { recordController } from '../metadata/store.js'
import type { Class, ControllerOptions } from '../metadata/types.js'
import { requireCallOnClass } from './record-method.js'

/** Optional on a class with features: makes it injectable and holds what all its features share. */
export function McpController(options: ControllerOptions = {}): (controller: Class) => void {
  requireCallOnClass('@McpController()', options)
  return (controller) => {
    injectable()(controller as new () => object)
    recordController(controller, options)
  }
}
