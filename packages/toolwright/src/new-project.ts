import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'

const own = new URL('../', import.meta.url)
const template = new URL('template/', own)

/** What has the version of whoever writes it: all packages share one. */
const ours = ['toolwright', '@toolwright/testing']

/** May be there already: many a project begins as a repository with nothing in it. */
const repository = '.git'

/** Characters of a name that npm takes. */
const longestName = 214

/** What npm takes for no name. */
const kept = ['node_modules', 'favicon.ico']

/** Of Toolwright: `0.1.0`. */
export const { version } = readJson<{ readonly version: string }>(new URL('package.json', own))

/** Why there is no project now. */
export class CannotWriteProject extends Error {
  override readonly name = 'CannotWriteProject'
}

interface Manifest {
  name: string
  readonly dependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
}

/**
 * Writes a project with a server of one tool: what the tutorial makes by hand, and a test.
 *
 * @param folder Is made. It may be there already, empty or with the `.git` of a new repository.
 * @returns The files, below the folder.
 * @throws CannotWriteProject where the folder has something in it. Nothing is written then.
 */
export function writeProject(folder: string): readonly string[] {
  const target = resolve(folder)
  checkTarget(target, folder)
  mkdirSync(target, { recursive: true })
  cpSync(template, target, { recursive: true })
  // npm packs no file of that name.
  renameSync(join(target, 'gitignore'), join(target, '.gitignore'))
  writeManifest(target)
  return readdirSync(target, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith(join(repository, sep)) && statSync(join(target, file)).isFile())
    .toSorted()
}

function checkTarget(target: string, folder: string): void {
  const stats = statSync(target, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isDirectory()) throw new CannotWriteProject(`${folder} is a file. Name a folder that is not there yet.`)
  const first = readdirSync(target).find((name) => name !== repository)
  if (first === undefined) return
  throw new CannotWriteProject(
    `${folder} has something in it: ${first}. Name a folder that is not there yet, or empty.`,
  )
}

function writeManifest(target: string): void {
  const manifest = readJson<Manifest>(new URL('package.json', template))
  manifest.name = packageName(target)
  for (const dependencies of [manifest.dependencies, manifest.devDependencies]) {
    for (const name of ours) if (name in dependencies) dependencies[name] = `^${version}`
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** What npm takes for a name: letters without their accents, and none that it keeps for itself. */
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
