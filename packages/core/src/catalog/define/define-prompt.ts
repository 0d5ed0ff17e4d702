import type { Diagnostics } from '../../errors/diagnostics.js'
import type { PromptOptions } from '../../metadata/types.js'
import { isModelClass } from '../../schema/model.js'
import type { Named, PromptDefinition } from '../definitions.js'
import { checkDescription } from './check-description.js'
import { checkTextArguments } from './check-text-arguments.js'
import { checkName } from './feature-name.js'
import { compileGivenSchema, noArguments, reportFor } from './schema-option.js'

/** Checks one prompt. Whatever is wrong goes to `problems`; the definition is then not used. */
export function definePrompt(
  { name, origin, source, rule, hooks, options }: Named<PromptOptions>,
  diagnostics: Diagnostics,
): PromptDefinition {
  checkName('prompt', name, origin, diagnostics)
  checkDescription('prompt', options, origin, diagnostics)
  const report = reportFor(origin, diagnostics)
  const input = compileGivenSchema(options, 'input', report) ?? noArguments
  checkTextArguments('Arguments of a prompt', input, report)
  return Object.freeze({
    name,
    title: options.title,
    description: options.description,
    icons: options.icons,
    meta: options._meta,
    input,
    model: isModelClass(options.input) ? options.input : null,
    source,
    origin,
    rule,
    hooks,
  })
}
