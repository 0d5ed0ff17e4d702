import type { Methods } from '../era.js'
import { createCompletionMethods } from './completion.js'
import { createPromptMethods } from './prompts.js'
import { createResourceMethods } from './resources.js'
import type { ResultWriter } from './result-writer.js'
import { createToolMethods } from './tools.js'

export function createFeatureMethods(writer: ResultWriter): Methods {
  return {
    ...createToolMethods(writer),
    ...createResourceMethods(writer),
    ...createPromptMethods(writer),
    ...createCompletionMethods(writer),
  }
}
