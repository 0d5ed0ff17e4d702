import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CommandError } from '../command-error.js'

interface Dependencies {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/**
 * Copies the installed packages that a project needs at run time, without those for development. Works with the folders
 * of each package manager, because it looks up packages as Node does, and copies files instead of links.
 *
 * @param folder Folder of the project.
 * @param target Folder that gets `node_modules`.
 * @throws CommandError if a package is not installed.
 */
export function copyPackages(folder: string, target: string): void {
  const copied = new Map<string, string>([[target, realpathSync(folder)]])
  // Also visits the entries that are added during the loop: all dependencies of a package are copied before theirs.
  for (const [to, from] of copied) {
    const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Dependencies
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const source = findPackage(from, name)
      if (source !== null) place(name, source, to)
      else if (Object.hasOwn(dependencies, name) && !Object.hasOwn(optionalDependencies, name)) {
        throw new CommandError(`'${name}' is not installed, but ${basename(from)} needs it. Install the dependencies.`)
      }
    }
  }

  /** Copies a package to the top if its place is free; otherwise, into the package that needs it. */
  function place(name: string, source: string, dependant: string): void {
    const found = ancestorsOf(dependant, target).find((at) => copied.has(join(at, 'node_modules', name)))
    if (found !== undefined && copied.get(join(found, 'node_modules', name)) === source) return
    const to = join(found === undefined ? target : dependant, 'node_modules', name)
    // Their own packages are copied like all others, because those for development are among them.
    const own = join(source, 'node_modules')
    cpSync(source, to, { recursive: true, dereference: true, filter: (path) => path !== own })
    copied.set(to, source)
  }
}

function findPackage(from: string, name: string): string | null {
  const at = ancestorsOf(from).find((folder) => existsSync(join(folder, 'node_modules', name, 'package.json')))
  return at === undefined ? null : realpathSync(join(at, 'node_modules', name))
}

function ancestorsOf(folder: string, last?: string): readonly string[] {
  const parent = dirname(folder)
  return folder === last || parent === folder ? [folder] : [folder, ...ancestorsOf(parent, last)]
}
