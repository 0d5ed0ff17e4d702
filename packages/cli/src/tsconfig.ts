import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'

export type CompilerOptions = Readonly<Record<string, unknown>>

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
