import type {
  Catalog,
  CatalogReport,
  ExplainedFeature,
  ExplainedSource,
  ExplainedTool,
  FeatureRegistry,
  ScannedModule,
  ToolDefinition,
} from '@toolwright/core'
import { describeToken } from '@toolwright/core/reports'
import { collectMembers } from '@toolwright/schema'
import { printTable } from '../print-table.js'

type FeatureDefinition = Catalog['registries'][number]['registry']['all'][number]

/** The parts of a report that need no tables: what boot found, and the findings about the catalog. */
export type Findings = Omit<CatalogReport, 'tools' | 'prompts' | 'resources' | 'completions' | 'toString'> & {
  readonly uncheckedPatterns: number
}

export function explainCatalog(catalog: Catalog, { uncheckedPatterns, ...findings }: Findings): CatalogReport {
  const tools = catalog.tools.all.map((tool) => explainTool(tool, catalog.tools))
  const prompts = explainRegistry(catalog.prompts)
  const resources = [...explainRegistry(catalog.resources), ...explainRegistry(catalog.resourceTemplates)]
  const completions = explainRegistry(catalog.completions)
  const { modules, leftOut, sources, hints, overlaps, slowSchemas, undescribed } = findings
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
  return { tools, prompts, resources, completions, ...findings, toString: () => print().join('\n') }
}

function explainRegistry<Definition extends FeatureDefinition>(
  registry: FeatureRegistry<Definition>,
): readonly ExplainedFeature[] {
  return registry.all.map((definition) => ({
    name: registry.keyOf(definition),
    from: definition.origin,
    parameters: explainParameters(definition),
    ...explainVisibility(definition, registry),
  }))
}

function explainVisibility<Definition extends FeatureDefinition>(
  definition: Definition,
  registry: FeatureRegistry<Definition>,
): Pick<ExplainedFeature, 'transports' | 'tags' | 'enabled'> {
  const { transports, tags, startsEnabled, enabledFor } = definition
  const shown = enabledFor.length > 0 ? 'by caller' : 'yes'
  const hidden = startsEnabled ? 'no (catalog.disable)' : 'no (option)'
  return { transports, tags, enabled: registry.isEnabled(definition) ? shown : hidden }
}

function explainParameters({ source }: FeatureDefinition): readonly string[] {
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
