import { existsSync, type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export interface FileChange {
  readonly file: string
  readonly exists: boolean
}

/**
 * Watches folders rather than files: many editors replace a file by renaming another file, which a watcher of the first
 * file would not notice.
 */
export class FolderWatcher {
  readonly #watchers = new Map<string, FSWatcher>()

  /** @param onFailure Called each time that a folder that exists cannot be watched. */
  constructor(
    private readonly onChange: (change: FileChange) => void,
    private readonly onFailure: (folder: string, error: NodeJS.ErrnoException) => void,
  ) {}

  /** Watches the files of a folder, without its subfolders. Ignores a folder that does not exist. */
  watch(given: string): void {
    // On Windows, Vite's paths have slashes. If paths were not normalized, one folder could have two watchers.
    const folder = normalize(given)
    if (this.#watchers.has(folder)) return
    try {
      const watcher = watch(folder, (_event, name) => this.#changed(folder, name))
      watcher.on('error', (error) => this.#fail(folder, error))
      this.#watchers.set(folder, watcher)
    } catch (error) {
      this.#fail(folder, error as Error)
    }
  }

  /** Watches the folder of a file. If it does not exist, watches the nearest parent, which reports the new folder. */
  watchFolderOf(file: string): void {
    let folder = dirname(file)
    while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
    this.watch(folder)
  }

  /** Watches a folder and all its subfolders, including new subfolders. Dependencies and hidden folders are ignored. */
  watchTree(folder: string): void {
    this.watch(folder)
    for (const path of foldersIn(folder)) this.watchTree(path)
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  #changed(folder: string, name: string | null): void {
    if (name === null) return
    const path = join(folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) this.#forget(path)
    if (stats?.isDirectory() !== true) return this.onChange({ file: path, exists: stats !== undefined })
    if (isLeftOut(name) || this.#watchers.has(path)) return
    this.watchTree(path)
    // Reports the files of a new folder, because they may have been written before the watcher started.
    for (const file of filesIn(path)) this.onChange({ file, exists: true })
  }

  #fail(folder: string, error: Error): void {
    this.#forget(folder)
    // If a deleted folder is created again, the watcher of its parent reports it.
    if (existsSync(folder)) this.onFailure(folder, error)
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }
}

function foldersIn(folder: string): readonly string[] {
  return read(folder)
    .filter((entry) => entry.isDirectory() && !isLeftOut(entry.name))
    .map(({ name }) => join(folder, name))
}

function filesIn(folder: string): readonly string[] {
  const files = read(folder).filter((entry) => entry.isFile())
  return [...files.map(({ name }) => join(folder, name)), ...foldersIn(folder).flatMap(filesIn)]
}

function read(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function isLeftOut(name: string): boolean {
  return name === 'node_modules' || name.startsWith('.')
}
