import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const packages = join(import.meta.dirname, '..', 'packages')

/**
 * Returns the packages of this repository that are installed with one of them, each after the packages that it depends on.
 *
 * @param {string} name Name of the package's folder.
 * @returns {string[]} Names of folders. The last one is `name`.
 */
export function packagesInstalledWith(name) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
  const own = Object.keys(dependencies).filter((dependency) => dependency.startsWith('@toolwright/'))
  const below = own.flatMap((dependency) => packagesInstalledWith(dependency.slice('@toolwright/'.length)))
  return [...new Set([...below, name])]
}
