import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const root = join(__dirname, '..', '..')

/** The part of a package.json with dependencies and install scripts. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface Installed {
  readonly folder: string
  readonly manifest: Manifest
}

export const packages: readonly Installed[] = readdirSync(join(root, 'packages')).map((name) =>
  readInstalled(join(root, 'packages', name)),
)

/** All packages that are installed with a package, including the package itself. */
export function closureOf(start: Installed): readonly Installed[] {
  const found = new Map([[start.folder, start]])
  for (const { folder, manifest } of found.values()) {
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
      const dependency = findInstalled(name, folder)
      if (dependency !== null) found.set(dependency.folder, dependency)
    }
  }
  return [...found.values()]
}

/** Resolved like Node: next to the package, or in a parent folder. `null` for a missing optional dependency. */
function findInstalled(name: string, from: string): Installed | null {
  const folder = join(from, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return readInstalled(realpathSync(folder))
  const above = dirname(from)
  return above === from ? null : findInstalled(name, above)
}

function readInstalled(folder: string): Installed {
  return { folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest }
}
