import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Finds compiled modules whose source was renamed or removed. Reads the paths of sources from source maps. The result is empty if
 * no source exists at all, for example in a container image with compiled files only.
 *
 * @returns Paths of missing sources, by the path of the module.
 */
export async function findMissingSources(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const mapped = await Promise.all(files.map(async (file) => ({ file, sources: await readSources(file) })))
  const missing = new Map<string, string>()
  let hasSources = false
  for (const { file, sources } of mapped) {
    const [first] = sources
    if (first === undefined) continue
    if (sources.some((source) => existsSync(source))) hasSources = true
    else missing.set(file, first)
  }
  return hasSources ? missing : new Map()
}

async function readSources(file: string): Promise<readonly string[]> {
  try {
    const location = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(await readFile(file, 'utf8'))?.[1]
    return location === undefined ? [] : await readMap(location, pathToFileURL(file))
  } catch {
    // A missing or invalid source map is ignored.
    return []
  }
}

async function readMap(location: string, module: URL): Promise<readonly string[]> {
  const inline = /^data:[^,]*;base64,(.*)$/.exec(location)?.[1]
  const url = inline === undefined ? new URL(location, module) : module
  const text = inline === undefined ? await readFile(url, 'utf8') : Buffer.from(inline, 'base64').toString()
  const { sources, sourceRoot = '' } = JSON.parse(text) as { sources: string[]; sourceRoot?: string }
  const root = sourceRoot === '' ? '' : sourceRoot.replace(/\/*$/, '/')
  return sources
    .map((source) => new URL(root + source, url))
    .filter(({ protocol }) => protocol === 'file:')
    .map((source) => fileURLToPath(source))
}
