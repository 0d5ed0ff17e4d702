import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ModuleItem, parseSync } from '@swc/core'

// TypeScript 7 has no parser API. swc is installed anyway, because Jest compiles the tests with it.

export const root = join(__dirname, '..', '..')

export interface Import {
  /** As written: `../rpc/messages.js`, `fastify`. */
  readonly specifier: string
  /** The imported file, relative to the root; `null` for a package. */
  readonly file: string | null
  /** Whether the import is removed at compile time. */
  readonly isType: boolean
}

export interface SourceFile {
  /** Relative to the root: `packages/core/src/rpc/messages.ts`. */
  readonly path: string
  /** `core` */
  readonly package: string
  readonly imports: readonly Import[]
  readonly body: readonly ModuleItem[]
}

/** Every source file of every package. */
export function readSourceFiles(): readonly SourceFile[] {
  return readdirSync(join(root, 'packages')).flatMap((name) =>
    readdirSync(join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .toSorted()
      .map((file) => readSourceFile(name, `packages/${name}/src/${file.replaceAll('\\', '/')}`)),
  )
}

function readSourceFile(packageName: string, path: string): SourceFile {
  const { body } = parseSync(readFileSync(join(root, path), 'utf8'), { syntax: 'typescript', decorators: true })
  return { path, package: packageName, imports: body.flatMap((item) => readImport(item, path)), body }
}

function readImport(item: ModuleItem, path: string): Import[] {
  const isImport = item.type === 'ImportDeclaration'
  if (!isImport && item.type !== 'ExportNamedDeclaration' && item.type !== 'ExportAllDeclaration') return []
  if (item.source === undefined || item.source === null) return []
  const specifier = item.source.value
  const file = specifier.startsWith('.') ? join(dirname(path), specifier).replaceAll('\\', '/') : null
  return [{ specifier, file: file?.replace(/\.js$/, '.ts') ?? null, isType: isTypeOnly(item) }]
}

/** `import type …` as a whole, or `type` on every name of it. */
function isTypeOnly(item: ModuleItem): boolean {
  const { typeOnly, specifiers = [] } = item as { typeOnly?: boolean; specifiers?: { isTypeOnly?: boolean }[] }
  return typeOnly === true || (specifiers.length > 0 && specifiers.every((name) => name.isTypeOnly === true))
}

/** Every node of a syntax tree, with its type. Comments are not included. */
export function* nodesOf(tree: unknown): Generator<Record<string, unknown> & { type: string }> {
  if (typeof tree !== 'object' || tree === null) return
  if (typeof (tree as { type?: unknown }).type === 'string') yield tree as never
  for (const child of Object.values(tree)) yield* nodesOf(child)
}
