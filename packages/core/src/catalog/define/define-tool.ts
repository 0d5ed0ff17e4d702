import type { Diagnostics } from '../../errors/diagnostics.js'
import { type ToolOptions, toolOptions } from '../../metadata/feature-options.js'
import { isModelClass } from '../../model.js'
import { readOptions } from '../../options/option.js'
import type { Named, ToolDefinition } from '../definitions.js'
import { checkToolUi, metaWithUi } from './app-pages.js'
import { checkDescription, checkName } from './check-description.js'
import { defineVisibility } from './define-visibility.js'
import { findHeaderParameters } from './header-parameters.js'
import { compileGivenSchema, noArguments, reportFor } from './schema-option.js'

export function defineTool(
  { name, origin, source, rule, hooks, options, shared }: Named<ToolOptions>,
  diagnostics: Diagnostics,
): ToolDefinition {
  checkName('tool', name, origin, diagnostics)
  checkDescription('tool', options, origin, diagnostics)
  const report = reportFor(origin, diagnostics)
  const input = compileGivenSchema(options, 'input', report) ?? noArguments
  const { tags, enabled, ...read } = readOptions(toolOptions, options, `${origin}: `, diagnostics)
  checkCombinations(options, origin, diagnostics)
  checkToolUi(options, origin, diagnostics)
  const { found: headerParameters, errors } = findHeaderParameters(input.wire)
  for (const error of errors) report('bad-header-parameter', 'input', error)
  const own = {
    name,
    annotations: read.untrusted ? { ...read.annotations, openWorldHint: true } : read.annotations,
    meta: metaWithUi(options),
    input,
    output: compileGivenSchema(options, 'output', report) ?? null,
    model: isModelClass(options.input) && options.inputSchema === undefined ? options.input : null,
    headerParameters,
    startsTask: read.taskStart === 'by-handler',
    source,
    origin,
    rule,
    hooks,
    ...defineVisibility({ tags, enabled }, shared),
  }
  // A spread would cost half a kilobyte per tool: in Node 20, each object with members after a spread gets its own hidden class.
  return Object.freeze(Object.fromEntries([...Object.entries(read), ...Object.entries(own)])) as typeof read &
    typeof own
}

function checkCombinations(options: ToolOptions, origin: string, diagnostics: Diagnostics): void {
  const { untrusted, annotations, task, taskStart } = options
  if (taskStart !== undefined && task === undefined) {
    const message = `${origin}: taskStart is given, but the tool is never a task. Set the option task as well.`
    diagnostics.add('bad-option', message)
  }
  if (untrusted === true && annotations?.openWorldHint === false) {
    const contradiction = 'untrusted is true and annotations.openWorldHint is false, which contradict each other'
    const message = `${origin}: ${contradiction}. Remove one.`
    diagnostics.add('bad-option', message)
  }
}
