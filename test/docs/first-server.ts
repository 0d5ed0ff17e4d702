import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from './markdown.js'
import { type Printed, run } from './programs.js'

/** The dependencies of the project, and the packages that the tutorial installs. */
const installed = [
  'toolwright',
  '@toolwright/testing',
  'typescript',
  '@types/node',
  '@oxc-node/core',
  '@modelcontextprotocol/client',
]

export interface Project {
  readonly folder: string
  /** Output of the compiler. */
  readonly compiled: Printed
  remove(): void
}

/** The project of the first tutorial, in a folder outside the repository, after `npx tsc`. */
export async function buildFirstServer(): Promise<Project> {
  const parent = mkdtempSync(join(tmpdir(), 'first-server-'))
  const folder = join(parent, 'word-server')
  const command = join(root, 'packages', 'create-toolwright', 'bin', 'create-toolwright.js')
  const tarballs = writeTarballs(join(parent, 'packed'))
  const flags = ['--yes', '--no-install', '--tarballs', tarballs]
  await run([command, 'word-server', ...flags], { cwd: parent })
  cpSync(join(root, 'docs', 'snippets', 'first-server'), folder, { recursive: true })
  install(folder, installed)
  const compiled = await run([join('node_modules', 'typescript', 'bin', 'tsc')], { cwd: folder })
  return { folder, compiled, remove: () => rmSync(parent, { recursive: true }) }
}

/** Files with the names of the tarballs of a clone, which the project would install. */
function writeTarballs(folder: string): string {
  mkdirSync(folder)
  for (const name of readdirSync(join(root, 'packages'))) {
    const file = join(root, 'packages', name, 'package.json')
    const { name: fullName, version } = JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string }
    writeFileSync(join(folder, `${fullName.replace('@', '').replace('/', '-')}-${version}.tgz`), '')
  }
  return folder
}

/** Stands in for `npm install`: links to the packages of the repository. */
function install(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link, 'junction')
  }
}
