import { requireBoolean } from '../../check-options.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import { checkRateLimit } from '../../limits/check-rate-limit.js'
import type { ToolOptions } from '../../metadata/types.js'
import type { JsonObject } from '../../rpc/messages.js'
import { isModelClass } from '../../schema/model.js'
import type { Named, ToolDefinition } from '../definitions.js'
import { checkToolUi, metaWithUi } from './app-pages.js'
import { checkDescription } from './check-description.js'
import { checkName } from './feature-name.js'
import { findHeaderParameters, type HeaderParameter } from './header-parameters.js'
import { compileGivenSchema, noArguments, type ReportError, reportFor } from './schema-option.js'

/** Checks one tool and compiles its schemas. Whatever is wrong goes to `problems`; the definition is then not used. */
export function defineTool(
  { name, origin, source, rule, hooks, options }: Named<ToolOptions>,
  diagnostics: Diagnostics,
): ToolDefinition {
  checkName('tool', name, origin, diagnostics)
  checkDescription('tool', options, origin, diagnostics)
  const report = reportFor(origin, diagnostics)
  const input = compileGivenSchema(options, 'input', report) ?? noArguments
  checkTimeout(options, origin, diagnostics)
  checkTask(options, origin, diagnostics)
  checkLimits(options, origin, diagnostics)
  checkTrust(options, origin, diagnostics)
  checkToolUi(options, origin, diagnostics)
  return Object.freeze({
    name,
    title: options.title,
    description: options.description,
    icons: options.icons,
    annotations: options.untrusted === true ? { ...options.annotations, openWorldHint: true } : options.annotations,
    meta: metaWithUi(options),
    input,
    output: compileGivenSchema(options, 'output', report) ?? null,
    model: isModelClass(options.input) && options.inputSchema === undefined ? options.input : null,
    headerParameters: readHeaderParameters(input.wire, report),
    timeoutMs: options.timeoutMs,
    maxResultBytes: options.maxResultBytes,
    task: options.task ?? null,
    startsTask: options.taskStart === 'by-handler',
    maxConcurrent: options.maxConcurrent ?? Infinity,
    rateLimit: options.rateLimit === undefined ? null : { per: 'caller' as const, ...options.rateLimit },
    rawText: options.rawText === true,
    untrusted: options.untrusted === true,
    ui: options.ui,
    source,
    origin,
    rule,
    hooks,
  })
}

function checkTimeout({ timeoutMs }: ToolOptions, origin: string, diagnostics: Diagnostics): void {
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0)) return
  diagnostics.addBadOption(`${origin}: timeoutMs`, timeoutMs, 'Give a number of milliseconds above 0.')
}

function checkTrust({ untrusted, rawText, annotations }: ToolOptions, origin: string, diagnostics: Diagnostics): void {
  requireBoolean(`${origin}: untrusted`, untrusted, diagnostics)
  requireBoolean(`${origin}: rawText`, rawText, diagnostics)
  if (untrusted !== true || annotations?.openWorldHint !== false) return
  const message = `${origin}: untrusted is true, but annotations.openWorldHint is false. Leave one of them out.`
  diagnostics.add('bad-option', message)
}

function checkLimits(options: ToolOptions, origin: string, diagnostics: Diagnostics): void {
  const { maxConcurrent, maxResultBytes, rateLimit } = options
  if (maxResultBytes !== undefined && !(typeof maxResultBytes === 'number' && maxResultBytes >= 1)) {
    diagnostics.addBadOption(`${origin}: maxResultBytes`, maxResultBytes, 'Give a number of at least 1.')
  }
  if (maxConcurrent !== undefined && !(Number.isInteger(maxConcurrent) && maxConcurrent > 0)) {
    diagnostics.addBadOption(`${origin}: maxConcurrent`, maxConcurrent, 'Give a whole number of at least 1.')
  }
  checkRateLimit(`${origin}: rateLimit`, rateLimit, diagnostics, ['calls', 'windowMs', 'per'])
  const { per } = rateLimit ?? {}
  if (per !== undefined && per !== 'caller' && per !== 'tool') {
    diagnostics.addBadOption(`${origin}: rateLimit.per`, per, "Give 'caller' or 'tool'.")
  }
}

const taskSupports: readonly unknown[] = [undefined, 'optional', 'required']
const taskStarts: readonly unknown[] = [undefined, 'at-once', 'by-handler']

function checkTask({ task, taskStart }: ToolOptions, origin: string, diagnostics: Diagnostics): void {
  if (!taskSupports.includes(task)) {
    diagnostics.addBadOption(`${origin}: task`, task, "Give 'optional' or 'required'.")
  }
  if (!taskStarts.includes(taskStart)) {
    diagnostics.addBadOption(`${origin}: taskStart`, taskStart, "Give 'at-once' or 'by-handler'.")
  }
  if (taskStart !== undefined && task === undefined) {
    diagnostics.add(
      'bad-option',
      `${origin}: taskStart is given, but the tool is never a task. Give it a task as well.`,
    )
  }
}

function readHeaderParameters(schema: JsonObject, report: ReportError): readonly HeaderParameter[] {
  const { found, errors } = findHeaderParameters(schema)
  for (const fault of errors) report('bad-header-parameter', 'input', fault)
  return found
}
