import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findUp, readCompilerOptions } from '../tsconfig.js'
import { type Finding, fail, listSome, ok, warn } from './finding.js'

interface Folders {
  readonly source: string
  readonly output: string
}

export function checkBuild(folder: string): readonly Finding[] {
  const { source, output } = findFolders(folder)
  if (!existsSync(output) || !existsSync(source) || source === output) return []
  const sources = listFiles(source, /(?<!\.d)\.[cm]?tsx?$/)
  const compiled = listFiles(output, /\.[cm]?js$/)
  if (sources.length === 0 || compiled.length === 0) return []
  const name = relative(folder, output)
  return [
    checkAge(folder, sources, output),
    checkOrphans(name, source, output, compiled),
    checkMetadata(name, compiled),
  ]
}

function findFolders(folder: string): Folders {
  const config = findUp(folder, 'tsconfig.json')
  const options = config === null ? {} : readOptions(config)
  const given = (name: string, standard: string): string => {
    const { [name]: value } = options
    return join(folder, typeof value === 'string' ? value : standard)
  }
  return { source: given('rootDir', 'src'), output: given('outDir', 'dist') }
}

function readOptions(config: string): Readonly<Record<string, unknown>> {
  try {
    return readCompilerOptions(config)
  } catch {
    // Another check reports an unreadable file.
    return {}
  }
}

function checkAge(folder: string, sources: readonly string[], output: string): Finding {
  const built = Math.max(...listFiles(output, /./).map(ageOf))
  const newer = sources.filter((file) => ageOf(file) > built).map((file) => relative(folder, file))
  if (newer.length === 0) return ok('build', `${relative(folder, output)} is newer than its sources`)
  return warn('build', `changed since the build: ${listSome(newer)}`, 'Build again.')
}

function ageOf(file: string): number {
  return statSync(file).mtimeMs
}

function checkOrphans(name: string, source: string, output: string, compiled: readonly string[]): Finding {
  const orphans = compiled
    .map((file) => relative(output, file))
    .filter((file) => !sourcesOf(file).some((path) => existsSync(join(source, path))))
  if (orphans.length === 0) return ok('leftovers', `each file in ${name} has a source`)
  const files = listSome(orphans.map((file) => join(name, file)))
  return fail(
    'leftovers',
    `compiled files without a source: ${files}`,
    `Empty ${name} before each build: \`scan\` loads what is in it.`,
  )
}

function sourcesOf(file: string): readonly string[] {
  const [, base = '', kind = ''] = /^(.*)\.([cm]?)js$/.exec(file) ?? []
  return ['ts', 'tsx', 'js', 'jsx'].map((extension) => `${base}.${kind}${extension}`)
}

function checkMetadata(name: string, compiled: readonly string[]): Finding {
  const decorated = compiled.filter((file) => /\b(?:McpTool|McpPrompt|McpResource)\(/.test(read(file)))
  const without = decorated.filter((file) => !read(file).includes('design:paramtypes'))
  if (decorated.length === 0) return ok('metadata', `${name} has no decorated methods`)
  if (without.length === 0)
    return ok('metadata', `the decorated classes in ${name} have decorator metadata (parameter types)`)
  const files = listSome(without.map((file) => relative(join(file, '..', '..'), file)))
  const fix = 'Build with tsc or swc and "emitDecoratorMetadata": true. esbuild and tsx do not emit it.'
  return fail('metadata', `decorated classes without decorator metadata (parameter types): ${files}`, fix)
}

function read(file: string): string {
  return readFileSync(file, 'utf8')
}

function listFiles(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('node_modules'))
}
