import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CommandError } from './command-error.js'
import { clone, version } from './own-package.js'

export type Tarballs = ReadonlyMap<string, string>

/** Folder of the tarballs inside a project, so that an image can be built from the project alone. */
export const vendorFolder = 'vendor'

const pack = clone === null ? 'Run `npm run pack` in a clone of Toolwright.' : `Run \`npm run pack\` in ${clone}.`

/**
 * Finds the tarballs that `npm run pack` wrote. A clone needs tarballs, because its packages are not on npm.
 *
 * @param folder Folder of the tarballs. Default: `packed` in the clone.
 * @returns `null` if no folder was given and this program is not in a clone.
 * @throws CommandError if the folder has no tarballs of this version.
 */
export function findTarballs(folder: string | undefined): Tarballs | null {
  if (folder === undefined && clone === null) return null
  const path = resolve(folder ?? join(clone as string, 'packed'))
  const found = new Map(listFiles(path).flatMap((file) => readName(file).map((name) => [name, join(path, file)])))
  if (found.has('toolwright')) return found
  const problem = `${path} has no toolwright-${version}.tgz`
  throw new CommandError(
    folder === undefined ? `Toolwright is not on npm yet, and ${problem}. ${pack}` : `${problem}. ${pack}`,
  )
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Returns the name of the package in `toolwright-core-0.1.0.tgz`: `@toolwright/core`. */
function readName(file: string): readonly string[] {
  const suffix = `-${version}.tgz`
  if (!file.endsWith(suffix)) return []
  const name = file.slice(0, -suffix.length)
  if (name === 'toolwright' || name === 'create-toolwright') return [name]
  return name.startsWith('toolwright-') ? [name.replace('-', '/').replace(/^/, '@')] : []
}
