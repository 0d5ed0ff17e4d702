import { Diagnostics } from '../../errors/diagnostics.js'
import { controllerOptions } from '../../metadata/feature-options.js'
import { controllerOptionsOf } from '../../metadata/store.js'
import type { Class } from '../../metadata/types.js'
import { isObject } from '../../options/kinds.js'
import { defaultsOf, readOptions } from '../../options/option.js'
import type { SharedOptions, Visibility } from '../definitions.js'

const none = Object.freeze([])

const nothingShared: SharedOptions = defaultsOf(controllerOptions)

export function sharedOptionsOf(controller: Class): SharedOptions {
  const given: unknown = controllerOptionsOf(controller)
  // Invalid values were already reported, together with the other options of the controller.
  return isObject(given) ? readOptions(controllerOptions, given, '', new Diagnostics()) : nothingShared
}

export function defineVisibility(own: SharedOptions, shared: SharedOptions = nothingShared): Visibility {
  const conditions = [...new Set([shared.enabled, own.enabled])]
  const functions = conditions.filter((condition) => typeof condition === 'function')
  const tags = [...new Set([...shared.tags, ...own.tags])]
  return {
    // Most features have no tags and no functions. They share one array, to save memory.
    tags: tags.length === 0 ? none : Object.freeze(tags),
    startsEnabled: !conditions.includes(false),
    enabledFor: functions.length === 0 ? none : Object.freeze(functions),
  }
}
