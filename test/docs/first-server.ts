import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from './markdown.js'
import { type Printed, run } from './programs.js'

/** What the tutorial has its reader install. */
const installed = ['toolwright', 'typescript', '@types/node', '@oxc-node/core', '@modelcontextprotocol/client']

export interface Project {
  readonly folder: string
  /** What the compiler said about it. */
  readonly compiled: Printed
  remove(): void
}

/** The project of the first tutorial, in a folder outside the repository, as its reader has it after `npx tsc`. */
export async function buildFirstServer(): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'first-server-'))
  cpSync(join(root, 'docs', 'snippets', 'first-server'), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'word-server', version: '1.0.0', type: 'module' }))
  for (const name of installed) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link, 'junction')
  }
  const compiled = await run([join('node_modules', 'typescript', 'bin', 'tsc')], { cwd: folder })
  return { folder, compiled, remove: () => rmSync(folder, { recursive: true }) }
}
