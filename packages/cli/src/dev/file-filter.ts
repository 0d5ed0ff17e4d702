import { statSync } from 'node:fs'
import { basename, extname, sep } from 'node:path'
import type { FileChange } from './folder-watcher.js'
import type { ProgramFiles } from './program-files.js'

const moduleFile = /(?<!\.d)\.[cm]?[jt]sx?$/
const testFile = /\.(?:[\w-]+-)?(?:test|spec|test-d|e2e|cy|bench|benchmark|stories|story|mocks?)\.[cm]?[jt]sx?$/

export function isPartOf({ file }: FileChange, { loaded, sourceFolders, wholeFolders }: ProgramFiles): boolean {
  if (isTemporary(file)) return false
  if (loaded.has(file.split(sep).join('/'))) return true
  if (isTsconfig(file) || isWithin(file, wholeFolders)) return true
  return isSource(file) && isWithin(file, sourceFolders)
}

export function isSource(file: string): boolean {
  return (moduleFile.test(file) && !testFile.test(file)) || extname(file) === '.html'
}

export function isTsconfig(file: string): boolean {
  return /^tsconfig.*\.json$/.test(basename(file))
}

/** Whether a file is empty: some editors empty a file before they write it. */
export function isEmptied({ file }: FileChange): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === 0
}

function isTemporary(file: string): boolean {
  const name = basename(file)
  return name.startsWith('.') || name.endsWith('~') || /^#.*#$/.test(name) || name === '4913'
}

function isWithin(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => file.startsWith(folder.endsWith(sep) ? folder : folder + sep))
}
