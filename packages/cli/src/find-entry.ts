import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { usageError } from './command-error.js'

/** Paths of the program in a project, the most likely first. Sources precede compiled files, which may be outdated. */
const entryCandidates: readonly string[] = [
  'src/main.ts',
  'src/index.ts',
  'src/server.ts',
  'main.ts',
  'index.ts',
  'server.ts',
  'src/main.mts',
  'src/index.mts',
  'src/main.js',
  'src/index.js',
  'src/server.js',
  'dist/main.js',
  'dist/index.js',
  'dist/server.js',
  'dist/src/main.js',
  'main.js',
  'index.js',
  'server.js',
  'main.mjs',
  'index.mjs',
  'server.mjs',
]

const moduleFile = /\.[cm]?[jt]sx?$/

export function isEntryName(argument: string): boolean {
  return moduleFile.test(argument)
}

export function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file)
}

/**
 * Finds the program that starts the server of a project.
 *
 * @param folder Absolute path of the project.
 * @param given Path that the user gave, relative to `folder`: a file, or a folder to search.
 * @returns Absolute path.
 * @throws CommandError if the file does not exist.
 */
export function findEntry(folder: string, given?: string): string {
  if (given === undefined) return searchEntry(folder)
  const path = resolve(folder, given)
  if (!existsSync(path)) throw usageError(`'${given}' does not exist in ${folder}.`)
  return statSync(path).isDirectory() ? searchEntry(path) : path
}

/** @throws CommandError if a path has one of the characters, which loaders treat as parts of a URL. */
export function rejectCharacters(path: string, characters: RegExp): void {
  const found = characters.exec(path)?.[0]
  if (found === undefined) return
  throw usageError(`The path ${path} cannot be used, because it contains '${found}'. Rename the folder or the file.`)
}

function searchEntry(folder: string): string {
  const found = entryCandidates.map((candidate) => join(folder, candidate)).find((path) => existsSync(path))
  if (found !== undefined) return found
  throw usageError(
    `No entry file was found in ${folder}: tried ${entryCandidates.slice(0, 3).join(', ')}, dist/main.js and others. ` +
      'Give the file that starts the server.',
  )
}
