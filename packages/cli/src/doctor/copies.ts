import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Finding, fail, ok } from './finding.js'

interface Manifest {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const ours = /^(?:toolwright|@toolwright\/.+)$/

/** Checks that each package of Toolwright is installed once: a copy cannot read the decorators of another copy. */
export function checkCopies(folder: string): readonly Finding[] {
  const found = new Map<string, Map<string, string>>()
  const visited = new Set<string>()
  const visit = (packageFolder: string, isProject: boolean): void => {
    if (visited.has(packageFolder)) return
    visited.add(packageFolder)
    const manifest = readManifest(packageFolder)
    const development = isProject ? manifest.devDependencies : {}
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...development })) {
      const dependency = findPackage(packageFolder, name)
      if (dependency === null) continue
      if (ours.test(name)) {
        const places = found.get(name) ?? new Map<string, string>()
        found.set(name, places.set(dependency, readManifest(dependency).version ?? 'unknown'))
      }
      // Other packages are searched if they depend on a package of Toolwright.
      if (ours.test(name) || (isProject && dependsOnOurs(dependency))) visit(dependency, false)
    }
  }
  visit(realpathSync(folder), true)
  const duplicates = [...found].filter(([, places]) => places.size > 1)
  if (duplicates.length === 0) return [ok('copies', `each of ${found.size} packages of Toolwright is installed once`)]
  return duplicates.map(([name, places]) => {
    const copies = [...places].map(([place, version]) => `${version} in ${place}`).join('\n')
    return fail(
      'copies',
      `${name} is installed ${places.size} times:\n${copies}`,
      `\`npm ls ${name}\` shows which packages depend on each copy. Install one version.`,
    )
  })
}

function dependsOnOurs(packageFolder: string): boolean {
  const { dependencies, peerDependencies } = readManifest(packageFolder)
  return Object.keys({ ...dependencies, ...peerDependencies }).some((name) => ours.test(name))
}

function readManifest(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  } catch {
    return {}
  }
}

function findPackage(from: string, name: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(join(path, 'package.json'))) return realpathSync(path)
    if (dirname(folder) === folder) return null
  }
}
