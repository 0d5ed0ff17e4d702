import type { Methods } from '../era.js'
import { createCompletionMethods } from './completion.js'
import { createListFormatMethods } from './list-formats.js'
import { createPromptMethods } from './prompts.js'
import { createResourceMethods } from './resources.js'
import { createToolMethods } from './tools.js'
import type { Wire } from './wire.js'

/** The methods of all kinds of feature, for one revision. */
export function createFeatureMethods(wire: Wire): Methods {
  return {
    ...createToolMethods(wire),
    ...createListFormatMethods(wire),
    ...createResourceMethods(wire),
    ...createPromptMethods(wire),
    ...createCompletionMethods(wire),
  }
}
