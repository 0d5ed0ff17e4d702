import type { Catalog, ScannedModule } from '@toolwright/core'
import { tryLog } from '@toolwright/core/host'
import { lacksReturnType, type ServerReports } from '@toolwright/core/reports'
import { findOverlaps } from './resource-overlaps.js'
import { findSlowUnions } from './slow-schemas.js'

export const warn: ServerReports['warn'] = ({ catalog, log }, { modules, defaultPageSize }) => {
  const report = (level: 'warn' | 'info', name: string, values: readonly unknown[], message: string): void => {
    if (values.length > 0) tryLog(() => log[level]({ [name]: values }, message))
  }
  const { warnings, exceptions } = findOverlaps(catalog)
  report('warn', 'tools', toolsOfUnknownReturn(catalog), unknownReturns)
  report('warn', 'modules', findLeftFromEarlierBuilds(modules), missingSources)
  // Reported because lists do not show which resource serves a URI that several resources match.
  report('warn', 'overlaps', warnings, 'resource templates overlap')
  report('info', 'overlaps', exceptions, 'resources are less restricted than a template that matches them')
  report('warn', 'schemas', findSlowUnions(catalog), 'validating values against these schemas can take very long')
  report('warn', 'tools', findUndescribedTools(catalog), undescribedTools)
  if (defaultPageSize !== null) report('warn', 'lists', findLongLists(catalog, defaultPageSize), longLists)
}

export function findUndescribedTools({ tools }: Catalog): readonly string[] {
  return tools.all.filter(({ description = '' }) => description.trim() === '').map(({ name }) => name)
}

function findLongLists({ tools, prompts, resources, resourceTemplates }: Catalog, pageSize: number): readonly string[] {
  return Object.entries({ tools, prompts, resources, resourceTemplates })
    .filter(([, { all }]) => all.length > pageSize)
    .map(([name, { all }]) => `${name}: ${all.length}`)
}

const longLists =
  'lists have more than one page: clients that read only the first page miss the other entries. Raise the option pageSize'

/**
 * Finds tools without an emitted return type. If such a tool returns a `Model` class, the tool is listed without an output
 * schema.
 */
function toolsOfUnknownReturn({ tools }: Catalog): readonly string[] {
  const unknown = tools.all.filter(
    ({ source, output }) =>
      output === null && source.kind === 'method' && lacksReturnType(source.controller, source.method),
  )
  return unknown.map(({ name }) => name)
}

const unknownReturns =
  'the compiler emits parameter types but no return types, as Babel with its plugin does. So a Model class as a return ' +
  'type defines no output schema. Pass the class as the option `output`'

function findLeftFromEarlierBuilds(modules: readonly ScannedModule[]): readonly string[] {
  return modules.filter(({ missingSource }) => missingSource !== undefined).map(({ file }) => file)
}

const missingSources =
  'the sources of compiled modules are gone: the modules are left from an earlier build. Empty the folder before each build'

const undescribedTools = 'tools have no description: models choose tools by their descriptions'
