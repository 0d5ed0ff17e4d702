import type { Diagnostics } from '../../errors/diagnostics.js'
import { type PromptOptions, promptOptions } from '../../metadata/feature-options.js'
import { isModelClass } from '../../model.js'
import { readOptions } from '../../options/option.js'
import type { Named, PromptDefinition } from '../definitions.js'
import { checkDescription, checkName } from './check-description.js'
import { defineVisibility } from './define-visibility.js'
import { checkTextArguments, compileGivenSchema, noArguments, reportFor } from './schema-option.js'

export function definePrompt(
  { name, origin, source, rule, hooks, options, shared }: Named<PromptOptions>,
  diagnostics: Diagnostics,
): PromptDefinition {
  checkName('prompt', name, origin, diagnostics)
  checkDescription('prompt', options, origin, diagnostics)
  const report = reportFor(origin, diagnostics)
  const input = compileGivenSchema(options, 'input', report) ?? noArguments
  checkTextArguments('Arguments of a prompt', input, report)
  const { tags, enabled, ...read } = readOptions(promptOptions, options, `${origin}: `, diagnostics)
  const model = isModelClass(options.input) ? options.input : null
  const visibility = defineVisibility({ tags, enabled }, shared)
  return Object.freeze({ ...read, ...visibility, name, meta: options._meta, input, model, source, origin, rule, hooks })
}
