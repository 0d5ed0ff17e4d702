import { type Dirent, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Diagnostics, describeThrown } from '@toolwright/core/options'

export interface SkillPath {
  readonly path: string
  readonly segments: readonly string[]
}

/** Limits of the search, in case a folder such as `/` is configured by mistake. */
const maxEntries = 20_000
const maxDepth = 16

/** Lists the files below a folder, sorted by path. Files and folders whose names begin with a dot are left out. */
export function listFiles(folder: URL | string, diagnostics: Diagnostics): readonly SkillPath[] {
  try {
    const root = realpathSync(String(folder).startsWith('file:') ? fileURLToPath(folder) : String(folder))
    return new FolderWalk(diagnostics).list({ path: root, segments: [] })
  } catch (error) {
    const message =
      `skills: the folder ${String(folder)} cannot be read: ${describeThrown(error)}. ` +
      "Give one that exists, such as new URL('./skills/', import.meta.url)."
    diagnostics.add('skill-folder-missing', message)
    return []
  }
}

class FolderWalk {
  #seen = 0

  constructor(private readonly diagnostics: Diagnostics) {}

  list(folder: SkillPath): readonly SkillPath[] {
    const entries = readdirSync(folder.path, { withFileTypes: true })
    return entries
      .filter(({ name }) => !name.startsWith('.'))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) =>
        this.#visit(entry, { path: join(folder.path, entry.name), segments: [...folder.segments, entry.name] }),
      )
  }

  #visit(entry: Dirent, at: SkillPath): readonly SkillPath[] {
    this.#seen++
    if (this.#seen > maxEntries || at.segments.length > maxDepth) {
      const message =
        `skills: ${at.path} exceeds the limit of ${maxEntries} entries or ${maxDepth} levels. ` +
        'Give a folder that contains only skills.'
      // All further entries exceed the limit as well: only the first is reported.
      if (this.#seen <= maxEntries + 1) this.diagnostics.add('bad-skill', message)
      return []
    }
    if (entry.isDirectory()) return this.list(at)
    if (entry.isFile()) return [at]
    // Links are not followed: the target could be any file that this process can read.
    const what = entry.isSymbolicLink() ? 'a symbolic link, which is not followed' : 'not a file'
    this.diagnostics.add('bad-skill', `skills: ${at.path} is ${what}. Replace it with a file, or remove it.`)
    return []
  }
}
