import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

interface MappedModule {
  readonly file: string
  /** Absolute paths; relative paths if the root of the sources is no folder of this machine, but a web address or `/`. */
  readonly sources: readonly string[]
  readonly isRelative: boolean
}

/**
 * Finds compiled modules whose source was renamed or removed. Reads the paths of sources from source maps. The result is empty if
 * no source exists at all, for example in a container image with compiled files only.
 *
 * @returns Paths of missing sources, by the path of the module.
 */
export async function findMissingSources(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const mapped = await Promise.all(files.map(readSources))
  const root = findRoot(mapped.filter(({ isRelative }) => isRelative))
  const missing = new Map<string, string>()
  let hasSources = false
  for (const { file, sources, isRelative } of mapped) {
    if (isRelative && root === null) continue
    const paths = isRelative ? sources.map((source) => join(root as string, source)) : sources
    const [first] = paths
    if (first === undefined) continue
    if (paths.some((source) => existsSync(source))) hasSources = true
    else missing.set(file, first)
  }
  return hasSources ? missing : new Map()
}

/** Finds the folder of relative sources: a parent folder of a module, or its subfolder `src`, in which a source exists. */
function findRoot(mapped: readonly MappedModule[]): string | null {
  for (const { file, sources } of mapped) {
    for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
      const root = [folder, join(folder, 'src')].find((each) =>
        sources.some((source) => existsSync(join(each, source))),
      )
      if (root !== undefined) return root
    }
  }
  return null
}

async function readSources(file: string): Promise<MappedModule> {
  try {
    const location = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(await readFile(file, 'utf8'))?.[1]
    if (location !== undefined) return { file, ...(await readMap(location, pathToFileURL(file))) }
  } catch {
    // A missing or invalid source map is ignored.
  }
  return { file, sources: [], isRelative: false }
}

async function readMap(location: string, module: URL): Promise<Omit<MappedModule, 'file'>> {
  const inline = /^data:[^,]*;base64,(.*)$/.exec(location)?.[1]
  const url = inline === undefined ? new URL(location, module) : module
  const text = inline === undefined ? await readFile(url, 'utf8') : Buffer.from(inline, 'base64').toString()
  const { sources, sourceRoot = '' } = JSON.parse(text) as { sources: string[]; sourceRoot?: string }
  const root = sourceRoot === '' ? '' : sourceRoot.replace(/\/*$/, '/')
  if (root === '/' || /^https?:/.test(root)) return { sources, isRelative: true }
  const paths = sources
    .map((source) => new URL(root + source, url))
    .filter(({ protocol }) => protocol === 'file:')
    .map((source) => fileURLToPath(source))
  return { sources: paths, isRelative: false }
}
