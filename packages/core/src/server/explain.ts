import type { Catalog } from '../catalog/catalog.js'
import type { Offered, Runnable, ToolDefinition } from '../catalog/definitions.js'
import type { FeatureRegistry } from '../catalog/feature-registry.js'
import { findOverlaps } from '../catalog/resource-overlaps.js'
import type { LeftOut } from '../catalog/scan/list-modules.js'
import type { ScannedModule, ScanResult } from '../catalog/scan/scan-modules.js'
import { findSlowSchemas } from '../catalog/slow-schemas.js'
import { describeToken } from '../container/registration.js'
import type { TransportName } from '../context/viewer.js'
import { collectMembers } from '../schema/members.js'
import { printTable } from '../util/print-table.js'
import type { ExplainedSource } from './sources/source-report.js'

/** One served feature, and the sources of its handler's parameters. */
export interface ExplainedFeature {
  /** The name of a tool or prompt, the URI or template of a resource, or the key of a completion. */
  readonly name: string
  /** The handler, such as `CalculatorTools.add`. */
  readonly from: string
  /** The source of each parameter, in order. */
  readonly parameters: readonly string[]
  /** The transports that serve the feature; `null`: all. */
  readonly transports: readonly TransportName[] | null
  readonly tags: readonly string[]
  /** Whether the feature is shown. `by caller`: `enabled` functions decide. `no (option)`: `enabled` is `false`. */
  readonly enabled: 'yes' | 'by caller' | 'no (option)' | 'no (catalog.disable)'
}

/** One served tool, with its input and output. */
export interface ExplainedTool extends ExplainedFeature {
  /** The arguments: `a, b`, or `SumInput (a, b)` for a `Model` class. */
  readonly input: string
  /** The JSON type of the results: `object`, or `text (no output schema)`. */
  readonly output: string
}

/** A report of the served features, the scanned modules, and the files that were left out. `String(report)` formats it. */
export interface CatalogReport {
  readonly tools: readonly ExplainedTool[]
  readonly prompts: readonly ExplainedFeature[]
  /** Resources with a fixed URI, and templates. */
  readonly resources: readonly ExplainedFeature[]
  readonly completions: readonly ExplainedFeature[]
  readonly modules: readonly ScannedModule[]
  /** Files and folders that the scan left out, such as tests, mocks and broken links. */
  readonly leftOut: readonly LeftOut[]
  /** For each source, the origins of its features, and what it left out. */
  readonly sources: readonly ExplainedSource[]
  /** Messages about classes that are not served, but probably should be. */
  readonly hints: readonly string[]
  /** Messages about resources that match the same URIs but have different rules, and about unreachable resources. */
  readonly overlaps: readonly string[]
  /** Messages about schemas that can take long to validate, each with the fix. */
  readonly slowSchemas: readonly string[]
  /** Names of tools without a description. Models choose tools by their descriptions. */
  readonly undescribed: readonly string[]
  toString(): string
}

export function explainCatalog(
  catalog: Catalog,
  { modules, leftOut, hints }: Pick<ScanResult, 'modules' | 'leftOut' | 'hints'>,
  sources: readonly ExplainedSource[] = [],
): CatalogReport {
  const tools = catalog.tools.all.map((tool) => explainTool(tool, catalog.tools))
  const prompts = explainRegistry(catalog.prompts)
  const resources = [...explainRegistry(catalog.resources), ...explainRegistry(catalog.resourceTemplates)]
  const completions = explainRegistry(catalog.completions)
  const { warnings, exceptions } = findOverlaps(catalog)
  const overlaps = [...warnings, ...exceptions]
  const { errors: slowSchemas, uncheckedPatterns } = findSlowSchemas(catalog)
  const undescribed = findUndescribedTools(catalog)
  const print = (): string[] => [
    ...printTools(tools),
    ...printFeatures('Prompts', 'prompt', prompts),
    ...printFeatures('Resources', 'resource', resources),
    ...printFeatures('Completions', 'completion', completions),
    ...sources.flatMap(printSource),
    ...section('Modules scanned', [['module', 'found'], ...modules.map(describeModule)]),
    ...section('Left out of the scan', [
      ['file or folder', 'why'],
      ...leftOut.map(({ path, reason }) => [path, reason]),
    ]),
    ...printLines('Not served', hints),
    ...printLines('Resources that overlap', overlaps),
    ...printLines('Slow schemas', [...slowSchemas, ...describeUnchecked(uncheckedPatterns)]),
    ...printLines('Tools without a description', undescribed),
  ]
  const features = { tools, prompts, resources, completions }
  const findings = { hints, overlaps, slowSchemas, undescribed }
  return { ...features, modules, leftOut, sources, ...findings, toString: () => print().join('\n') }
}

export function findUndescribedTools({ tools }: Catalog): readonly string[] {
  return tools.all.filter(({ description = '' }) => description.trim() === '').map(({ name }) => name)
}

function explainRegistry<Definition extends Runnable>(
  registry: FeatureRegistry<Definition>,
): readonly ExplainedFeature[] {
  return registry.all.map((definition) => ({
    name: registry.keyOf(definition),
    from: definition.origin,
    parameters: explainParameters(definition),
    ...explainVisibility(definition, registry),
  }))
}

function explainVisibility<Definition extends Offered>(
  definition: Definition,
  registry: FeatureRegistry<Definition>,
): Pick<ExplainedFeature, 'transports' | 'tags' | 'enabled'> {
  const { transports, tags, startsEnabled, enabledFor } = definition
  const shown = enabledFor.length > 0 ? 'by caller' : 'yes'
  const hidden = startsEnabled ? 'no (catalog.disable)' : 'no (option)'
  return { transports, tags, enabled: registry.isEnabled(definition) ? shown : hidden }
}

function explainParameters({ source }: Runnable): readonly string[] {
  if (source.kind === 'function') return ['arguments', 'context']
  return source.parameters.map((parameter) =>
    parameter.from === 'container' ? describeToken(parameter.token) : parameter.from,
  )
}

function explainTool(tool: ToolDefinition, registry: FeatureRegistry<ToolDefinition>): ExplainedTool {
  const { name, origin, input, output, model } = tool
  const properties = [...collectMembers(input.wire).properties.keys()]
  const shape = properties.length === 0 ? 'no arguments' : properties.join(', ')
  return {
    name,
    from: origin,
    parameters: explainParameters(tool),
    ...explainVisibility(tool, registry),
    input: model === null ? shape : `${model.name} (${shape})`,
    output: output === null ? 'text (no output schema)' : describeType(output.wire['type']),
  }
}

function describeType(type: unknown): string {
  return typeof type === 'string' ? type : 'any JSON'
}

function printTools(tools: readonly ExplainedTool[]): string[] {
  if (tools.length === 0) return ['No tools are served.']
  const rows = tools.map(({ name, from, parameters, input, output }) => {
    return [name, from, parameters.join(', '), input, output]
  })
  const table = withVisibility([['tool', 'method', 'parameters', 'input', 'output'], ...rows], tools)
  return section('Tools served', table).slice(1)
}

function printFeatures(title: string, kind: string, features: readonly ExplainedFeature[]): string[] {
  const rows = features.map(({ name, from, parameters }) => [name, from, parameters.join(', ')])
  return section(`${title} served`, withVisibility([[kind, 'method', 'parameters'], ...rows], features))
}

function printSource({ name, added, leftOut }: ExplainedSource): string[] {
  const rows = added.map(({ origin, feature }) => [origin, feature])
  const reasons = leftOut.map(({ origin, reason }) => [origin, reason])
  return [
    ...section(`Source '${name}', features`, [['from', 'feature'], ...rows]),
    ...section(`Source '${name}', left out`, [['from', 'why'], ...reasons]),
  ]
}

function withVisibility(rows: readonly Row[], features: readonly ExplainedFeature[]): readonly Row[] {
  const columns = [
    ['transports', ...features.map(({ transports }) => transports?.join(', ') ?? 'all')],
    ['tags', ...features.map(({ tags }) => tags.join(', '))],
    ['enabled', ...features.map(({ enabled }) => enabled)],
  ].filter((column) => column.slice(1).some((value) => !['all', '', 'yes'].includes(value)))
  return rows.map((row, index) => [...row, ...columns.map((column) => column[index] as string)])
}

type Row = readonly string[]

/** Formats a table below its title and number of rows. Without rows, returns no lines. */
function section(title: string, [head = [], ...rows]: readonly Row[]): string[] {
  return rows.length === 0 ? [] : ['', `${title}: ${rows.length}`, ...printTable([head, ...rows])]
}

function printLines(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)]
}

function describeUnchecked(patterns: number): readonly string[] {
  if (patterns === 0) return []
  return [
    `patterns with repeated groups that were not checked: ${patterns}. Install @toolwright/cli as a development dependency ` +
      `(npm install --save-dev @toolwright/cli), and run toolwright explain`,
  ]
}

function describeModule({ file, skipped, controllers, abstract = [], missingSource }: ScannedModule): Row {
  const classes = [...controllers, ...abstract.map((name) => `${name} (abstract)`)]
  const found = classes.length === 0 ? 'no exported class with a decorated method' : classes.join(', ')
  return [file, skipped ?? (missingSource === undefined ? found : `${found}; its source ${missingSource} is gone`)]
}
