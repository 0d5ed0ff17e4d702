import type { Catalog } from '../catalog/catalog.js'
import type { ParameterSource, Runnable, ToolDefinition } from '../catalog/definitions.js'
import type { FeatureRegistry } from '../catalog/feature-registry.js'
import { findOverlaps } from '../catalog/resource-overlaps.js'
import type { LeftOut } from '../catalog/scan/list-modules.js'
import type { ScannedModule, ScanResult } from '../catalog/scan/scan-modules.js'
import { findSlowSchemas } from '../catalog/slow-schemas.js'
import { findUndescribedTools } from '../catalog/undescribed-tools.js'
import { describeToken } from '../container/describe-token.js'
import { collectMembers } from '../schema/members.js'
import { printTable } from '../util/print-table.js'

/** One served feature and where its handler's parameters come from. */
export interface ExplainedFeature {
  /** A tool's or prompt's name, a resource's URI or template, what a completion completes. */
  readonly name: string
  /** `CalculatorTools.add` */
  readonly from: string
  /** Where each parameter comes from, in order. */
  readonly parameters: readonly string[]
}

/** One served tool and how a call of it runs. */
export interface ExplainedTool extends ExplainedFeature {
  /** Its arguments: `a, b`, or `SumInput (a, b)` where a class of a model says so. */
  readonly input: string
  /** The JSON type of its results: `object`, or `text (no output schema)`. */
  readonly output: string
}

/** What is served, what was scanned, and what was left out and why. `String(report)` is for people. */
export interface CatalogReport {
  readonly tools: readonly ExplainedTool[]
  readonly prompts: readonly ExplainedFeature[]
  /** Resources with a fixed URI, and templates. */
  readonly resources: readonly ExplainedFeature[]
  readonly completions: readonly ExplainedFeature[]
  readonly modules: readonly ScannedModule[]
  /** Tests, mocks, links that lead nowhere and the like, which the scan did not look at. */
  readonly leftOut: readonly LeftOut[]
  /** Classes that look as if they were meant to be served, and are not. */
  readonly hints: readonly string[]
  /** Resources that match the same URIs, where their rules differ or one of them never serves. */
  readonly overlaps: readonly string[]
  /** Schemas of tools that can take long to check, and the fix. */
  readonly slowSchemas: readonly string[]
  /** Names of tools without a description. Models choose tools by their descriptions. */
  readonly undescribed: readonly string[]
  toString(): string
}

export function explainCatalog(
  catalog: Catalog,
  { modules, leftOut, hints }: Pick<ScanResult, 'modules' | 'leftOut' | 'hints'>,
): CatalogReport {
  const tools = catalog.tools.all.map(explainTool)
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
    ...printModules(modules),
    ...printLeftOut(leftOut),
    ...printLines('Not served', hints),
    ...printLines('Resources that overlap', overlaps),
    ...printLines('Slow to check', [...slowSchemas, ...describeUnchecked(uncheckedPatterns)]),
    ...printLines('Tools without a description', undescribed),
  ]
  const features = { tools, prompts, resources, completions }
  const findings = { hints, overlaps, slowSchemas, undescribed }
  return { ...features, modules, leftOut, ...findings, toString: () => print().join('\n') }
}

function explainRegistry<Definition extends Runnable>(
  registry: FeatureRegistry<Definition>,
): readonly ExplainedFeature[] {
  return registry.all.map((definition) => ({
    name: registry.keyOf(definition),
    from: definition.origin,
    parameters: explainParameters(definition),
  }))
}

function explainParameters({ source }: Runnable): readonly string[] {
  return source.kind === 'function' ? ['arguments', 'context'] : source.parameters.map(explainParameter)
}

function explainTool(tool: ToolDefinition): ExplainedTool {
  const { name, origin, input, output, model } = tool
  const properties = [...collectMembers(input.wire).properties.keys()]
  const shape = properties.length === 0 ? 'no arguments' : properties.join(', ')
  return {
    name,
    from: origin,
    parameters: explainParameters(tool),
    input: model === null ? shape : `${model.name} (${shape})`,
    output: output === null ? 'text (no output schema)' : describeType(output.wire['type']),
  }
}

function describeType(type: unknown): string {
  return typeof type === 'string' ? type : 'any JSON'
}

function explainParameter(parameter: ParameterSource): string {
  if (parameter.from !== 'container') return parameter.from
  return describeToken(parameter.token)
}

function printTools(tools: readonly ExplainedTool[]): string[] {
  if (tools.length === 0) return ['No tools are served.']
  const rows = tools.map(({ name, from, parameters, input, output }) => [
    name,
    from,
    parameters.join(', '),
    input,
    output,
  ])
  return [
    `Tools served: ${tools.length}`,
    ...printTable([['tool', 'method', 'parameters', 'input', 'output'], ...rows]),
  ]
}

function printFeatures(title: string, kind: string, features: readonly ExplainedFeature[]): string[] {
  if (features.length === 0) return []
  const rows = features.map(({ name, from, parameters }) => [name, from, parameters.join(', ')])
  return ['', `${title} served: ${features.length}`, ...printTable([[kind, 'method', 'parameters'], ...rows])]
}

function printModules(modules: readonly ScannedModule[]): string[] {
  if (modules.length === 0) return []
  const rows = modules.map((module) => [module.file, module.skipped ?? describeClasses(module)])
  return ['', `Modules scanned: ${modules.length}`, ...printTable([['module', 'found'], ...rows])]
}

function printLeftOut(leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return []
  const rows = leftOut.map(({ path, reason }) => [path, reason])
  return ['', `Left out of the scan: ${leftOut.length}`, ...printTable([['file or folder', 'why'], ...rows])]
}

function printLines(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)]
}

function describeUnchecked(patterns: number): readonly string[] {
  if (patterns === 0) return []
  return [
    `patterns with repeated groups that were not checked: ${patterns}. Install recheck as a development dependency ` +
      `(npm install --save-dev recheck), and start with --explain`,
  ]
}

function describeClasses({ controllers, abstract = [], missingSource }: ScannedModule): string {
  const classes = [...controllers, ...abstract.map((name) => `${name} (abstract)`)]
  const found = classes.length === 0 ? 'no exported class with a decorated method' : classes.join(', ')
  return missingSource === undefined ? found : `${found}; its source ${missingSource} is gone`
}
