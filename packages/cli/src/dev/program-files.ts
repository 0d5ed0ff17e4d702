import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HostOptions } from 'toolwright'
import type { ModuleRunner } from 'vite/module-runner'
import type { FolderWatcher } from './folder-watcher.js'

export interface ProgramFiles {
  readonly loaded: ReadonlySet<string>
  /** Folders with sources. New modules in these folders are part of the program. */
  readonly sourceFolders: readonly string[]
  readonly wholeFolders: readonly string[]
}

/** A version of the program. It may have failed before its options were known. */
interface LoadedProgram {
  readonly runner: ModuleRunner
  readonly options: HostOptions | null
}

/** Finds the files of all given versions. @param project The folder of the project, and the absolute path of its program. */
export function findProgramFiles(
  versions: readonly LoadedProgram[],
  { root, entry }: { readonly root: string; readonly entry: string },
): ProgramFiles {
  const loaded = versions.flatMap(({ runner }) => [...runner.evaluatedModules.fileToModulesMap.keys()])
  const options = versions.flatMap((version) => version.options ?? [])
  const entryFolder = dirname(entry)
  return {
    loaded: new Set(loaded),
    sourceFolders: [...(entryFolder === root ? [] : [entryFolder]), ...options.flatMap(({ scan }) => foldersOf(scan))],
    wholeFolders: options.flatMap(({ skills }) => foldersOf(skills)),
  }
}

export function watchProgramFiles(watcher: FolderWatcher, root: string, files: ProgramFiles): void {
  watcher.watch(root)
  for (const file of files.loaded) watcher.watch(dirname(file))
  for (const folder of [...files.sourceFolders, ...files.wholeFolders]) watcher.watchTree(folder)
}

function foldersOf(given: HostOptions['scan']): readonly string[] {
  const all = [given ?? []].flat() as readonly unknown[]
  return all.map(String).map((folder) => resolve(folder.startsWith('file:') ? fileURLToPath(folder) : folder))
}
