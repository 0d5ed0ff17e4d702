import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'

const own = new URL('../', import.meta.url)
const template = new URL('templates/minimal/', own)

/** Packages that have the version of Toolwright. */
const ours = ['toolwright', '@toolwright/testing']

/** Allowed in the folder, because many projects begin as an empty repository. */
const repository = '.git'

/** Maximum length of an npm package name. */
const longestName = 214

/** Names that npm does not allow. */
const kept = ['node_modules', 'favicon.ico']

/** Version of Toolwright: `0.1.0`. */
export const { version } = readJson<{ readonly version: string }>(new URL('package.json', own))

/** Error if the folder cannot be used for a project. */
export class CannotWriteProject extends Error {
  override readonly name = 'CannotWriteProject'
}

interface Manifest {
  name: string
  readonly dependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
}

/**
 * Writes the project of the tutorial, a server with one tool, with a test.
 *
 * @param folder Created if necessary. An existing folder has to be empty, except for `.git`.
 * @returns Paths of the files, relative to the folder.
 * @throws CannotWriteProject if the folder is not empty. Nothing is written then.
 */
export function writeProject(folder: string): readonly string[] {
  const target = resolve(folder)
  checkTarget(target, folder)
  mkdirSync(target, { recursive: true })
  cpSync(template, target, { recursive: true })
  // npm does not pack `.gitignore` files.
  renameSync(join(target, 'gitignore'), join(target, '.gitignore'))
  writeManifest(target)
  return readdirSync(target, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith(join(repository, sep)) && statSync(join(target, file)).isFile())
    .toSorted()
}

function checkTarget(target: string, folder: string): void {
  const stats = statSync(target, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isDirectory()) throw new CannotWriteProject(`${folder} is a file. Choose a new folder.`)
  const first = readdirSync(target).find((name) => name !== repository)
  if (first === undefined) return
  throw new CannotWriteProject(`${folder} is not empty (found ${first}). Choose a new or empty folder.`)
}

function writeManifest(target: string): void {
  const manifest = readJson<Manifest>(new URL('package.json', template))
  manifest.name = packageName(target)
  for (const dependencies of [manifest.dependencies, manifest.devDependencies]) {
    for (const name of ours) if (name in dependencies) dependencies[name] = `^${version}`
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Converts the folder's name to one that npm allows: no accents, and not reserved. */
function packageName(target: string): string {
  const name = basename(target)
    .normalize('NFD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, longestName)
  return name === '' || kept.includes(name) ? 'server' : name
}

function readJson<Content>(file: URL): Content {
  return JSON.parse(readFileSync(file, 'utf8')) as Content
}
