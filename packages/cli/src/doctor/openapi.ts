import { basename } from 'node:path'
import type * as OpenApiCore from '@redocly/openapi-core'
import { loadBundled } from '../load-bundled.js'
import { type Finding, fail, ok, warn } from './finding.js'

const maxShown = 50

const rules = {
  struct: 'error',
  'no-unresolved-refs': 'error',
  'no-identical-paths': 'error',
  'no-undefined-server-variable': 'error',
  'operation-operationId-unique': 'error',
  'operation-parameters-unique': 'error',
  'path-declaration-must-exist': 'error',
  'path-not-include-query': 'error',
  'path-parameters-defined': 'error',
  'no-enum-type-mismatch': 'warn',
  'no-required-schema-properties-undefined': 'warn',
} as const

/** Validates an OpenAPI document, and the files that it refers to. @param path Absolute path. */
export async function checkOpenApi(path: string): Promise<readonly Finding[]> {
  const core = loadBundled<typeof OpenApiCore>('openapi-core')
  const name = basename(path)
  const config = await core.createConfig({ rules })
  let problems: readonly OpenApiCore.NormalizedProblem[]
  try {
    problems = await core.lint({ ref: path, config, externalRefResolver: fileResolver(core) })
  } catch (error) {
    return [fail('openapi', `${name}: ${(error as Error).message}`, 'Correct the document.')]
  }
  if (problems.length === 0) return [ok('openapi', `${name} is a valid OpenAPI document`)]
  const shown = problems.slice(0, maxShown).map((problem) => toFinding(core, problem))
  const hidden = problems.length - shown.length
  return hidden === 0
    ? shown
    : [...shown, warn('openapi', `${name} has ${hidden} more mistakes`, 'Correct the others.')]
}

/** Reads files only: a document must not make this machine send requests. */
function fileResolver({ BaseResolver }: typeof OpenApiCore): OpenApiCore.BaseResolver {
  return new (class extends BaseResolver {
    override loadExternalRef(reference: string): ReturnType<OpenApiCore.BaseResolver['loadExternalRef']> {
      if (!/^https?:/i.test(reference)) return super.loadExternalRef(reference)
      return Promise.reject(new Error('documents of other origins are not read'))
    }
  })()
}

function toFinding(core: typeof OpenApiCore, problem: OpenApiCore.NormalizedProblem): Finding {
  const { message, suggest, severity, location } = problem
  const [at] = location
  const place = at === undefined ? '' : placeOf(core, at)
  const [first] = suggest
  const fix = first === undefined ? 'Correct the document there.' : `Did you mean '${first}'?`
  return (severity === 'error' ? fail : warn)('openapi', `${place}${message.replaceAll('`', "'")}`, fix)
}

/** Returns the file with the line and the column, the operation, and the place in the operation. */
function placeOf(core: typeof OpenApiCore, location: OpenApiCore.LocationObject): string {
  const { line, col } = core.getLineColLocation(location).start
  const parts = (location.pointer ?? '')
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const [root, path = '', method = ''] = parts
  const isOperation = root === 'paths' && /^(get|put|post|delete|patch|head|options|trace)$/.test(method)
  const rest = isOperation ? parts.slice(3) : parts
  const names = [
    ...(isOperation ? [`${method.toUpperCase()} ${path}`] : []),
    ...(rest.length > 0 ? [rest.join(' > ')] : []),
  ]
  return `${basename(location.source.absoluteRef)}:${line}:${col}, ${names.map((name) => `${name}: `).join('')}`
}
