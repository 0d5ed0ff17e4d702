import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'
import { type Finding, fail, ok, warn } from './finding.js'

export type CompilerOptions = Readonly<Record<string, unknown>>

/** Finds a file in a folder or in its nearest parent. */
export function findUp(folder: string, name: string): string | null {
  for (let current = folder; ; current = dirname(current)) {
    const path = join(current, name)
    if (existsSync(path)) return path
    if (dirname(current) === current) return null
  }
}

/**
 * Reads the compiler options of a tsconfig.json and of the files that it extends.
 *
 * @throws Error if a file cannot be read.
 */
export function readCompilerOptions(file: string, depth = 0): CompilerOptions {
  if (depth > 20) throw new Error(`${file}: the files extend each other`)
  const errors: ParseError[] = []
  const config: unknown = parse(readFileSync(file, 'utf8'), errors, { allowTrailingComma: true })
  if (errors.length > 0 || typeof config !== 'object' || config === null) throw new Error(`${file} is not valid JSON`)
  const { extends: bases, compilerOptions } = config as {
    extends?: string | string[]
    compilerOptions?: CompilerOptions
  }
  const inherited = [bases ?? []].flat().map((base) => readCompilerOptions(resolveBase(file, base), depth + 1))
  return Object.assign({}, ...inherited, compilerOptions) as CompilerOptions
}

function resolveBase(file: string, base: string): string {
  if (!/^(?:\.|\/|[a-z]:)/i.test(base)) return createRequire(file).resolve(base)
  const path = resolve(dirname(file), base)
  return existsSync(path) ? path : `${path}.json`
}

const modernModules = ['nodenext', 'node16', 'node18', 'node20', 'esnext', 'es2022', 'preserve']
const oldTargets = ['es3', 'es5', 'es6', 'es2015', 'es2016', 'es2017', 'es2018', 'es2019', 'es2020', 'es2021']

/** Checks the options that decorated classes need. */
export function checkTsconfig(folder: string): readonly Finding[] {
  const file = findUp(folder, 'tsconfig.json')
  if (file === null) return [ok('tsconfig', 'there is no tsconfig.json')]
  const name = relative(folder, file)
  try {
    const findings = checkOptions(readCompilerOptions(file), name)
    return findings.length === 0 ? [ok('tsconfig', `${name} has the options that decorators need`)] : findings
  } catch (error) {
    return [fail('tsconfig', (error as Error).message, 'Correct the file.')]
  }
}

function nameOf(option: unknown): string {
  return typeof option === 'string' ? option : ''
}

function checkOptions(options: CompilerOptions, file: string): readonly Finding[] {
  const { module, target } = options
  const missing = ['experimentalDecorators', 'emitDecoratorMetadata'].filter((name) => options[name] !== true)
  const kind = nameOf(module).toLowerCase()
  const version = nameOf(target).toLowerCase()
  return [
    ...missing.map((name) => fail('tsconfig', `${name} is off`, `Set "${name}": true in ${file}.`)),
    ...(module !== undefined && !modernModules.includes(kind)
      ? [
          warn(
            'tsconfig',
            `module is ${nameOf(module)}`,
            `Set "module": "nodenext" in ${file}: Toolwright consists of ES modules.`,
          ),
        ]
      : []),
    ...(oldTargets.includes(version)
      ? [warn('tsconfig', `target is ${nameOf(target)}`, `Set "target": "es2022" in ${file}.`)]
      : []),
  ]
}
